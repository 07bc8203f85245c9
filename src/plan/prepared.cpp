#include "plan/prepared.hpp"

#include <fmt/format.h>

#include "problem/describe.hpp"

namespace cornerturn {

std::string describe(prepared_plan const& plan) {
  if (plan.is_empty()) return "nothing to move";
  auto const place = plan.device == kHost
                         ? fmt::format("on the CPU ({})", plan.device_name)
                         : fmt::format("on device {} ({}), source aligned to {} bytes and destination to {}", plan.device,
                                       plan.device_name, plan.aligned.source, plan.aligned.destination);
  auto const& chosen = plan.chosen;
  auto const expected = chosen.seconds > 0 ? fmt::format(", {:.4g} us expected{}", 1e6 * chosen.seconds,
                                                         chosen.is_scaled ? " by a model scaled from an H200" : "")
                                           : "";
  return fmt::format("{} {}: {}{}; {}", plan.limited ? describe(*plan.limited) : describe(plan.simplest), place, describe(chosen),
                     expected, chosen.why);
}

}  // namespace cornerturn
