#pragma once

#include <cstdint>

namespace cornerturn {

/// A batch of matrices with contiguous rows. A transpose writes source (r, c) to destination (c, r). A copy writes it to
/// destination (r, c).
struct job {
  std::int64_t rows = 0, cols = 0;                                     ///< extents of a source matrix
  std::int64_t batch = 1;                                              ///< number of matrices
  std::int64_t source_pitch = 0, destination_pitch = 0;                ///< elements from one row to the next
  std::int64_t source_batch_stride = 0, destination_batch_stride = 0;  ///< elements from one matrix to the next
  bool operator==(job const&) const = default;
};

/// A 16-byte element.
struct alignas(16) bits128 {
  std::uint64_t low, high;
};

}  // namespace cornerturn
