#include "plan/step.hpp"

#include <fmt/format.h>

#include "problem/print.hpp"

namespace cornerturn {

std::string describe(transfer const& each) {
  return fmt::format("copy of {} to the {}", count_text(each.bytes, "byte"),
                     each.where == transfer::direction::to_device ? "device" : "host");
}

std::string describe(step const& each) {
  return std::visit([](auto const& plan) { return describe(plan); }, each.kernel);
}

}  // namespace cornerturn
