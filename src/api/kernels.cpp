#include "api/kernels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cornerturn/ladder.hpp"
#include "problem/fail.hpp"

namespace cornerturn {

std::vector<std::string> rung_names() {
  std::vector<std::string> names;
  for (auto const& each : kRungs) names.emplace_back(each.name);
  return names;
}

rung kernel_named(std::string_view name, std::string_view argument) {
  if (auto const id = rung_named(name)) return *id;
  refuse(argument, name, fmt::format("one of {}", fmt::join(rung_names(), ", ")));
}

}  // namespace cornerturn
