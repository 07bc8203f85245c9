#include "api/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "engine/cpu/ladder/rungs.hpp"
#include "problem/fail.hpp"

namespace cornerturn {

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
  auto const distance = [&](auto const& each) { return edit_distance(name, each.name); };
  auto const nearest = std::ranges::min(kRungs, {}, distance);
  constexpr std::size_t kLeastLetters = 3;  // letters of a beginning, and letters per error
  std::vector<std::string_view> meant;
  if (distance(nearest) <= name.size() / kLeastLetters)
    meant.push_back(nearest.name);
  else if (name.size() >= kLeastLetters)
    for (auto const& each : kRungs)
      if (each.name.starts_with(name)) meant.push_back(each.name);
  refuse(argument, fmt::format("'{}'", name),
         fmt::format("one of the {} rungs that cornerturn {} --help lists{}{}{}", kRungs.size(),
                     argument == "rung" ? "explain" : "ladder", meant.empty() ? "" : "; did you mean ",
                     fmt::join(meant, " or "), meant.empty() ? "" : "?"));
}

cpu::cpu_rung cpu_rung_named(std::string_view name) {
  for (auto const& each : cpu::kCpuRungs)
    if (each.name == name) return each;
  refuse("kernel", fmt::format("'{}'", name), fmt::format("one of {} on the CPU", fmt::join(rung_names(processor_kind::cpu), ", ")));
}

}  // namespace cornerturn
