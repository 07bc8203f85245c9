#include "problem/problem.hpp"

#include <stdexcept>

namespace cornerturn {

std::int64_t shared_element_size(problem const& p) {
  auto const& [source, destination] = p.element_size;
  if (source != destination || p.operation) throw std::logic_error("elements that change are moved as bytes");
  return source;
}

problem slice(problem whole, std::size_t mode, std::int64_t begin, std::int64_t extent) {
  auto& cut = whole.modes[mode];
  whole.source_offset += begin * cut.source_stride;
  whole.destination_offset += begin * cut.destination_stride;
  whole.factor_offset += begin * cut.factor_stride;
  cut.extent = extent;
  return whole;
}

std::int64_t bytes_of(problem const& p) {
  auto bytes = p.element_size.larger();
  for (mode const& m : p.modes) bytes *= m.extent;
  return bytes;
}

std::int64_t copied_bytes(problem const& p) {
  auto const& [source, destination] = p.element_size;
  bool const reads = p.operation && p.operation->beta != 0.0;
  std::int64_t elements = 1;
  for (mode const& m : p.modes) elements *= m.extent;
  return elements * (source + (reads ? 2 : 1) * destination) / 2;
}

}  // namespace cornerturn
