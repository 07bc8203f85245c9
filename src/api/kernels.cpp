#include "api/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "cornerturn/ladder.hpp"
#include "engine/cpu/ladder/rungs.hpp"
#include "problem/fail.hpp"

namespace cornerturn {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; }

/// Letters to insert, leave out or replace to make one word of the other, large or small.
std::size_t distance(std::string_view one, std::string_view other) {
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t(0));
  for (std::size_t i = 0; i < one.size(); ++i) {
    auto diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < other.size(); ++j) {
      auto const replaced = diagonal + (lower(one[i]) != lower(other[j]));
      diagonal = std::exchange(row[j + 1], std::min({replaced, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> rung_names(processor_kind of) {
  std::vector<std::string> names;
  auto const take = [&](auto const& rungs) {
    for (auto const& each : rungs) names.emplace_back(each.name);
  };
  of == processor_kind::cpu ? take(cpu::kCpuRungs) : take(kRungs);
  return names;
}

rung kernel_named(std::string_view name, std::string_view argument) {
  if (auto const id = rung_named(name)) return *id;
  auto const nearest = std::ranges::min(kRungs, {}, [&](auto const& each) { return distance(name, each.name); });
  refuse(argument, name,
         fmt::format("one of {} names, such as {}; cornerturn {} --help lists them", kRungs.size(), nearest.name,
                     argument == "rung" ? "explain" : "ladder"));
}

cpu::cpu_rung cpu_rung_named(std::string_view name) {
  for (auto const& each : cpu::kCpuRungs)
    if (each.name == name) return each;
  refuse("kernel", name, fmt::format("one of {} on the CPU", fmt::join(rung_names(processor_kind::cpu), ", ")));
}

}  // namespace cornerturn
