#include "api/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

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
  refuse(argument, fmt::format("'{}'", name),
         fmt::format("one of the {} rungs of the ladder{}", kRungs.size(), did_you_mean(name, rung_names())));
}

cpu::cpu_rung cpu_rung_named(std::string_view name) {
  for (auto const& each : cpu::kCpuRungs)
    if (each.name == name) return each;
  refuse("kernel", fmt::format("'{}'", name),
         fmt::format("one of {} on the CPU", fmt::join(rung_names(processor_kind::cpu), ", ")));
}

}  // namespace cornerturn
