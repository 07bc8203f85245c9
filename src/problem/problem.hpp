#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn {

/// One axis of the index space. Strides count elements and may be negative; a source stride of 0 repeats the same elements.
struct mode {
  std::int64_t extent = 1, source_stride = 0, destination_stride = 0;
  bool operator==(mode const&) const = default;
};

/// A copy between two layouts of one shape: for every index i, the element at
/// destination_offset + sum(i[k] * destination_stride[k]) becomes the one at source_offset + sum(i[k] * source_stride[k]).
struct problem {
  std::vector<mode> modes;                                 ///< usually slowest first; the order has no meaning before `canonical`
  std::int64_t element_size = 1;                           ///< bytes
  std::int64_t source_offset = 0, destination_offset = 0;  ///< elements from the caller's pointers
  bool operator==(problem const&) const = default;
};

}  // namespace cornerturn
