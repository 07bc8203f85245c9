#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

namespace cornerturn::tile {

/// Which whole vectors of a destination row are a tile's own: how many, the bytes before the first, and the number of the lane
/// that has that one. In 32 bits, so that a row is one load.
struct vector_span {
  static constexpr int kHeadBits = 5, kLaneBits = 5;
  std::uint32_t bits = 0;

  vector_span() = default;
  CUTE_HOST_DEVICE vector_span(int head, int lane, int count)
      : bits(std::uint32_t(head) | std::uint32_t(lane) << kHeadBits | std::uint32_t(count) << (kHeadBits + kLaneBits)) {}

  CUTE_HOST_DEVICE int head() const { return int(bits & ((1u << kHeadBits) - 1)); }
  CUTE_HOST_DEVICE int lane() const { return int(bits >> kHeadBits & ((1u << kLaneBits) - 1)); }
  CUTE_HOST_DEVICE int count() const { return int(bits >> (kHeadBits + kLaneBits)); }
};

}  // namespace cornerturn::tile
