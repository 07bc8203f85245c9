#include "problem/print.hpp"

#include <fmt/format.h>

#include "cornerturn/text.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

std::string to_string(problem const& p) {
  std::string text = "{";
  for (mode const& m : p.modes) {
    if (text.size() > 1) text += ", ";
    text += fmt::format("{}:{}<-{}", m.extent, m.destination_stride, m.source_stride);
    if (m.factor_stride != 0) text += fmt::format("*{}", m.factor_stride);
  }
  auto const& [source, destination] = p.element_size;
  text += fmt::format("}} of {}", count_text(destination, "byte"));
  if (source != destination) text += fmt::format(" from {}", source);
  if (p.operation) text += fmt::format(" ({})", to_string(*p.operation));
  if (p.source_offset != 0 || p.destination_offset != 0) text += fmt::format(" at {}<-{}", p.destination_offset, p.source_offset);
  if (p.factor_offset != 0) text += fmt::format("*{}", p.factor_offset);
  return text;
}

}  // namespace cornerturn
