#include "fuzz/counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include "cpu/tiles/fields.hpp"

namespace cornerturn::fuzz {

decision_counts::decision_counts(std::vector<std::string> targets, std::vector<counted_family> calls)
    : targets_(std::move(targets)), families_(cpu_plans()) {
  auto const is_wide = [](std::string const& target) { return target.starts_with("AVX3") || target.starts_with("AVX10"); };
  for (auto& family : families_) {
    // without vectors of 64 bytes nothing permutes their bytes
    if (!cpu::has_byte_permutes() || std::ranges::none_of(targets_, is_wide))
      for (auto& decision : family.decisions) std::erase(decision.values, "byte permutes");
    for (auto const& target : targets_)
      if (!is_wide(target)) family.unreachable.push_back({target, {"byte permutes"}, "its vectors are shorter"});
    family.decisions.push_back({"begin", {"begins a line", "begins within a line"}});
    family.decisions.push_back({"shares", {"one share", "several shares"}});
    for (std::string_view const alone : {"one tile", "one box", "one chunk"})
      family.unreachable.push_back({alone, {"several shares"}, "it is not divided"});
  }
  std::ranges::move(calls, std::back_inserter(families_));
  for (auto& family : families_) family.decisions.push_back({"instructions", {targets_.begin(), targets_.end()}});
  std::ranges::move(gpu_plans(), std::back_inserter(families_));
  for (auto const& family : families_) decisions_.push_back(family.decisions);
  runs_.resize(decisions_.size()), counts_.resize(decisions_.size());
}

void decision_counts::add(step const& each, run_facts const& run) {
  auto [family, values] = decisions_of(each);
  values.push_back(run.begins_a_line ? "begins a line" : "begins within a line");
  values.push_back(run.in_shares ? "several shares" : "one share");
  add(family, std::move(values), run.target);
}

void decision_counts::add(std::string_view family, std::vector<std::string_view> values, std::string_view target) {
  values.push_back(target);
  add(family, std::move(values));
}

void decision_counts::add(std::string_view family, std::vector<std::string_view> values) {
  auto const index = std::size_t(std::ranges::find(families_, family, &counted_family::name) - families_.begin());
  for (auto& each : values) each = known(index, each);
  ++runs_[index];
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t k = i; k < values.size(); ++k) ++counts_[index][{values[i], values[k]}];
}

void decision_counts::write(std::FILE* file) const {
  for (std::size_t family = 0; family < counts_.size(); ++family) {
    fmt::print(file, "{}\t\t\t{}\n", family, runs_[family]);
    for (auto const& [values, count] : counts_[family])
      fmt::print(file, "{}\t{}\t{}\t{}\n", family, values.first, values.second, count);
  }
}

void decision_counts::add_from(std::FILE* file) {
  for (std::array<char, 256> line; std::fgets(line.data(), line.size(), file);) {
    std::istringstream fields(line.data());
    std::array<std::string, 4> each;
    for (auto& field : each) std::getline(fields, field, '\t');
    auto const family = std::stoul(each[0]);
    auto const count = std::stoll(each[3]);
    if (each[1].empty())
      runs_[family] += count;
    else
      counts_[family][{known(family, each[1]), known(family, each[2])}] += count;
  }
}

std::string_view decision_counts::known(std::size_t family, std::string_view value) const {
  for (auto const& decision : decisions_[family])
    if (auto const found = std::ranges::find(decision.values, value); found != decision.values.end()) return *found;
  throw std::invalid_argument(std::string(value));
}

bool decision_counts::is_unreachable(std::size_t family, std::string_view one, std::string_view other) const {
  return std::ranges::any_of(families_[family].unreachable, [&](unreachable_pairs const& rule) {
    auto const has = [&](std::string_view value) { return std::ranges::find(rule.others, value) != rule.others.end(); };
    return (rule.value == one && has(other)) || (rule.value == other && has(one));
  });
}

std::vector<std::string> decision_counts::complaints(std::vector<std::string> const& families, std::int64_t least) const {
  std::vector<std::string> result;
  for (std::size_t family = 0; family < decisions_.size(); ++family) {
    if (std::ranges::find(families, families_[family].name) == families.end()) continue;
    auto const& decisions = decisions_[family];
    for (std::size_t i = 0; i < decisions.size(); ++i)
      for (std::size_t k = i; k < decisions.size(); ++k)
        for (auto const one : decisions[i].values)
          for (auto const other : decisions[k].values) {
            if (i == k && one != other) continue;
            auto const found = counts_[family].find({one, other});
            auto const count = found == counts_[family].end() ? 0 : found->second;
            bool const unreachable = is_unreachable(family, one, other);
            if (unreachable ? count > 0 : count < least)
              result.push_back(fmt::format("{}: {} + {}: {}{}", families_[family].name, one, other, count,
                                           unreachable ? ", called unreachable" : ""));
          }
  }
  return result;
}

std::string decision_counts::table() const {
  std::string result;
  for (std::size_t family = 0; family < decisions_.size(); ++family) {
    if (runs_[family] == 0) continue;
    fmt::format_to(std::back_inserter(result), "{}: {} runs\n", families_[family].name, runs_[family]);
    for (auto const& decision : decisions_[family]) {
      fmt::format_to(std::back_inserter(result), "  {}\n", decision.name);
      for (auto const value : decision.values) {
        auto const alone = counts_[family].find({value, value});
        std::pair<std::int64_t, std::string_view> rarest{-1, ""};
        for (auto const& other : decisions_[family])
          for (auto const beside : other.values) {
            if (&other == &decision || is_unreachable(family, value, beside)) continue;
            auto found = counts_[family].find({value, beside});
            if (found == counts_[family].end()) found = counts_[family].find({beside, value});
            auto const count = found == counts_[family].end() ? 0 : found->second;
            if (rarest.first < 0 || count < rarest.first) rarest = {count, beside};
          }
        fmt::format_to(std::back_inserter(result), "    {:24} {:9}   with {:24} {:9}\n", value,
                       alone == counts_[family].end() ? 0 : alone->second, rarest.second,
                       std::max<std::int64_t>(rarest.first, 0));
      }
    }
  }
  return result;
}

}  // namespace cornerturn::fuzz
