#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

namespace cornerturn::tile {

/// The whole vectors of a destination row that a tile writes. They are packed into 32 bits, so that one load has the whole row.
/// For example, head 12, lane 3 and count 20 are 12 + 3 * 32 + 20 * 1024 = 20588.
struct vector_span {
  static constexpr int kHeadBits = 5, kLaneBits = 5;
  std::uint32_t bits = 0;

  vector_span() = default;
  CUTE_HOST_DEVICE vector_span(int head, int lane, int count)
      : bits(std::uint32_t(head) | std::uint32_t(lane) << kHeadBits | std::uint32_t(count) << (kHeadBits + kLaneBits)) {}

  /// Bytes of the row before its first whole vector.
  CUTE_HOST_DEVICE int head() const { return int(bits & ((1u << kHeadBits) - 1)); }
  /// The lane that writes the first whole vector.
  CUTE_HOST_DEVICE int lane() const { return int(bits >> kHeadBits & ((1u << kLaneBits) - 1)); }
  /// Number of whole vectors.
  CUTE_HOST_DEVICE int count() const { return int(bits >> (kHeadBits + kLaneBits)); }
};

}  // namespace cornerturn::tile
