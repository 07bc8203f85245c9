#pragma once

#include <cstdint>

namespace cornerturn {

/// What a tile program is asked to move: a batch of matrices with contiguous rows. Pitches and strides count elements.
/// A transpose writes source (r, c) to destination (c, r); a copy writes it to destination (r, c).
struct job {
  std::int64_t rows = 0, cols = 0, batch = 1;
  std::int64_t source_pitch = 0, destination_pitch = 0;
  std::int64_t source_batch_stride = 0, destination_batch_stride = 0;
  bool operator==(job const&) const = default;
};

/// A 16-byte element: bits without a meaning, as all elements here.
struct alignas(16) bits128 {
  std::uint64_t low, high;
};

}  // namespace cornerturn
