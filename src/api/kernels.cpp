#include "api/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/refuse.hpp"
#include "cornerturn/ladder.hpp"
#include "cornerturn/text.hpp"
#include "engine/cpu/ladder/rungs.hpp"

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
  // The number of errors in the name, or in the beginning of a longer name: smem-conflct resembles the beginning of
  // smem-conflict-read.
  auto const errors = [&](auto const& each) {
    auto const begins = [&](std::size_t letters) { return edit_distance(name, each.name.substr(0, letters)); };
    return std::min({edit_distance(name, each.name), begins(name.size()), begins(name.size() + 1)});
  };
  constexpr std::size_t kLeastLetters = 3;  // letters of a beginning, and letters per error
  auto const fewest = errors(std::ranges::min(kRungs, {}, errors));
  std::vector<std::string_view> meant;
  if (name.size() >= kLeastLetters && fewest <= name.size() / kLeastLetters)
    for (auto const& each : kRungs)
      if (errors(each) == fewest) meant.push_back(each.name);
  refuse(argument, fmt::format("'{}'", name),
         fmt::format("one of the {} rungs that cornerturn {} --help lists{}{}{}", kRungs.size(),
                     argument == "rung" ? "explain" : "ladder", meant.empty() ? "" : "; did you mean ", fmt::join(meant, " or "),
                     meant.empty() ? "" : "?"));
}

cpu::cpu_rung cpu_rung_named(std::string_view name) {
  for (auto const& each : cpu::kCpuRungs)
    if (each.name == name) return each;
  refuse("kernel", fmt::format("'{}'", name),
         fmt::format("one of {} on the CPU", fmt::join(rung_names(processor_kind::cpu), ", ")));
}

}  // namespace cornerturn
