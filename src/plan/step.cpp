#include "plan/step.hpp"

#include <fmt/ranges.h>

#include <stdexcept>

#include "cornerturn/text.hpp"

namespace cornerturn {

void* plan_memory::writable(buffer_position const& at) const {
  auto* const buffer = at.role == buffer_role::workspace ? workspace
                       : at.role == buffer_role::staging ? staging
                       : at.role == buffer_role::call    ? call
                                                         : destination;
  if (!buffer) throw std::logic_error("a step uses a buffer that its plan was not given");
  return static_cast<std::byte*>(buffer) + at.offset;
}

std::string describe(transfer const& each) {
  return fmt::format("copy of {} to the {}", count_text(each.bytes, "byte"),
                     each.where == transfer::direction::to_device ? "device" : "host");
}

std::string describe(clearing const& each) { return fmt::format("clear {}", count_text(each.bytes, "byte")); }

std::string describe(step const& each) {
  return std::visit([](auto const& plan) { return describe(plan); }, each.kernel);
}

std::string id_of(step const& each) {
  return std::visit(
      []<class Plan>(Plan const& plan) {
        return fmt::format("{}.{}:{}", Plan::family, Plan::version, fmt::join(plan.parameters(), ","));
      },
      each.kernel);
}

}  // namespace cornerturn
