#include "problem/slice.hpp"

namespace cornerturn {

problem slice(problem whole, std::size_t mode, std::int64_t begin, std::int64_t extent) {
  auto& cut = whole.modes[mode];
  whole.source_offset += begin * cut.source_stride;
  whole.destination_offset += begin * cut.destination_stride;
  whole.factor_offset += begin * cut.factor_stride;
  cut.extent = extent;
  return whole;
}

}  // namespace cornerturn
