#include "problem/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "problem/print.hpp"

namespace cornerturn {
namespace {

/// A member of each mode times a number of bytes, as a tuple of Python.
std::string tuple_text(std::vector<mode> const& modes, std::int64_t mode::*member, std::int64_t bytes = 1) {
  std::string text = "(";
  for (auto const& each : modes) text += fmt::format("{}{}", text.size() > 1 ? ", " : "", each.*member * bytes);
  return text + (modes.size() == 1 ? ",)" : ")");
}

/// "of 4 bytes", "of 4 bytes from 8 (f64 to f32)".
std::string elements_text(problem const& p) {
  constexpr std::string_view kNoModes = "{} ";
  problem const without_modes{.modes = {}, .element_size = p.element_size, .operation = p.operation};
  return to_string(without_modes).substr(kNoModes.size());
}

}  // namespace

std::string describe(problem const& p) {
  auto const& [source, destination] = p.element_size;
  auto text =
      fmt::format("shape {}, byte strides {} to {}, ", tuple_text(p.modes, &mode::extent),
                  tuple_text(p.modes, &mode::source_stride, source), tuple_text(p.modes, &mode::destination_stride, destination));
  if (p.source_offset != 0 || p.destination_offset != 0)
    text += fmt::format("byte offsets {} to {}, ", p.source_offset * source, p.destination_offset * destination);
  if (std::ranges::any_of(p.modes, [](mode const& each) { return each.factor_stride != 0; }) || p.factor_offset != 0)
    text += fmt::format("strides {} of scale and bias{}, ", tuple_text(p.modes, &mode::factor_stride),
                        p.factor_offset != 0 ? fmt::format(" from element {}", p.factor_offset) : "");
  return text + "elements " + elements_text(p);
}

}  // namespace cornerturn
