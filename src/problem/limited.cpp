#include "problem/limited.hpp"

#include <fmt/format.h>

#include "problem/describe.hpp"
#include "problem/print.hpp"

namespace cornerturn {

bool limited_problem::is_pad_of(std::int64_t element_size) const {
  for (std::size_t i = 0; i < pad.size(); ++i)
    if (pad[i] != pad[i % std::size_t(element_size)]) return false;
  return true;
}

std::string to_string(limited_problem const& p) {
  auto text = to_string(p.whole);
  for (auto const& each : p.limits) text += fmt::format(" {} {}", each.of_source ? "padded from" : "cropped to", each.end);
  return text;
}

std::string describe(limited_problem const& p) {
  auto shown = p.whole;
  shown.factor_offset = 0;
  for (auto& each : shown.modes) each.factor_stride = 0;
  auto text = describe(shown);
  for (auto const& each : p.limits)
    text += fmt::format(", an axis {} {}", each.of_source ? "padded from" : "cropped to", each.end);
  return text;
}

}  // namespace cornerturn
