#pragma once

#include <array>
#include <cstdint>

#include "tile/radix_digit.hpp"

namespace cornerturn {

inline constexpr int kPlanesThreads = 256;  ///< threads per block of the planes kernel
inline constexpr int kPlanesSteps = 2;      ///< vectors that a thread stores in each plane

/// Pixels to planes. A pixel has one byte per plane. A *part* is consecutive pixels. A vector has 16 bytes of a plane. A tile is
/// consecutive vectors of one part. The members `source` and `destination` of the digits count elements, and `vector_index`
/// counts factors.
struct planes_job {
  static constexpr int kMostDigits = 24;

  std::array<radix_digit, kMostDigits> digits;
  digit_range part_digits;      ///< digits of a part
  fast_divmod tiles{1};         ///< tiles of a part
  int vectors = 1;              ///< vectors of a part in one plane
  std::int64_t plane_step = 0;  ///< elements of the destination from a plane to the next
  int factor_step = 0;          ///< factors from one plane to the next
};

}  // namespace cornerturn
