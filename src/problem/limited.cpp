#include "problem/limited.hpp"

#include <fmt/format.h>

#include <string_view>

#include "problem/describe.hpp"
#include "problem/print.hpp"

namespace cornerturn {

bool limited_problem::is_pad_of(std::int64_t element_size) const {
  for (std::size_t i = 0; i < pad.size(); ++i)
    if (pad[i] != pad[i % std::size_t(element_size)]) return false;
  return true;
}

problem written_in(problem box) {
  box.source_offset = box.destination_offset;
  for (auto& each : box.modes) each.source_stride = each.destination_stride;
  return canonical(box);
}

namespace {

std::string swizzles_text(limited_problem const& p) {
  std::string text;
  auto const add = [&](offset_swizzle const& each, std::string_view side) {
    if (each) text += fmt::format(", {} swizzled by bits {:#x} of its offsets / {}", side, each.mask, 1 << each.shift);
  };
  add(p.source_swizzle, "source"), add(p.destination_swizzle, "result");
  return text;
}

}  // namespace

std::string to_string(limited_problem const& p) {
  auto text = to_string(p.whole);
  for (auto const& each : p.limits) text += fmt::format(" {} {}", each.of_source ? "padded from" : "cropped to", each.end);
  return text + swizzles_text(p);
}

std::string describe(limited_problem const& p) {
  auto shown = p.whole;
  shown.factor_offset = 0;
  for (auto& each : shown.modes) each.factor_stride = 0;
  auto text = describe(shown);
  for (auto const& each : p.limits)
    text += fmt::format(", an axis {} {}", each.of_source ? "padded from" : "cropped to", each.end);
  return text + swizzles_text(p);
}

}  // namespace cornerturn
