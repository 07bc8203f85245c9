#pragma once

#include <bit>
#include <cstdint>
#include <limits>

#include "block/host_device.hpp"

namespace cornerturn::element {

/// How a block of numbers becomes 8-bit floats.
struct scale_recipe {
  float largest = 448;        ///< the largest number of the 8-bit type
  float least = 1e-12f;       ///< the least amax that counts
  bool power_of_two = false;  ///< the scale is rounded up to a power of two
};

/// The scale of a block, with which its 8-bit floats are multiplied to get the numbers back, and its inverse.
struct block_scale {
  float scale = 1, factor = 1;
};

/// The scale of a block whose largest magnitude is `amax`. If `amax` is infinite, the factor is 0; if it is NaN, both are NaN.
CORNERTURN_HOST_DEVICE block_scale scale_of(float amax, scale_recipe const& by) {
  float const used = amax < by.least ? by.least : amax, scale = used / by.largest;
  if (!by.power_of_two || !(scale < std::numeric_limits<float>::infinity())) return {scale, by.largest / used};
  constexpr std::uint32_t kMantissa = 0x7fffffu;
  auto const power = std::bit_cast<float>((std::bit_cast<std::uint32_t>(scale) + kMantissa) & ~kMantissa);
  return {power, 1 / power};
}

/// The least scale, so that its inverse is a normal number.
inline constexpr float kLeastScale = 1e-30f;

/// The scale of a caller, if it is not less than the least one.
CORNERTURN_HOST_DEVICE block_scale given_scale(float scale) {
  float const used = scale < kLeastScale ? kLeastScale : scale;
  return {used, 1 / used};
}

/// The bits of a number's magnitude. As integers they have the order of magnitudes, and NaN is the largest.
CORNERTURN_HOST_DEVICE std::int32_t magnitude_bits(float number) { return std::bit_cast<std::int32_t>(number) & 0x7fffffff; }

}  // namespace cornerturn::element
