#pragma once

#include <bit>
#include <cstdint>

#include "block/host_device.hpp"
#include "element/values.hpp"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#endif

namespace cornerturn::element {

/// Rounds a number to a format, to the nearest, ties to even. Numbers beyond its range become infinite or NaN, or with `saturate`
/// the largest finite number, which then also stands for infinity.
CORNERTURN_HOST_DEVICE constexpr unsigned rounded_bits(double value, small_format format, bool saturate) {
  constexpr int kMantissa = 52, kBias = 1023;
  constexpr auto kOne = std::uint64_t(1);
  auto const all = std::bit_cast<std::uint64_t>(value);
  unsigned const sign = all >> 63 ? format.sign() : 0;
  auto const magnitude = all & ~(kOne << 63);
  if (magnitude > std::uint64_t(2047) << kMantissa) return sign | format.nan();
  int const exponent = int(magnitude >> kMantissa) - kBias + format.bias();
  auto const mantissa = (magnitude & ((kOne << kMantissa) - 1)) | kOne << kMantissa;
  // A subnormal result loses as many more bits as its exponent is below 1.
  int const dropped = kMantissa - format.mantissa_bits + (exponent < 1 ? 1 - exponent : 0);
  if (dropped > kMantissa + 1) return sign;
  auto const half = kOne << (dropped - 1), kept = mantissa >> dropped, rest = mantissa & ((kOne << dropped) - 1);
  auto const rounded = kept + (rest > half || (rest == half && (kept & 1)));
  // The implicit bit, and a carry out of the mantissa, count as one exponent.
  auto const code = exponent < 1 ? rounded : rounded + (std::uint64_t(exponent - 1) << format.mantissa_bits);
  if (code > format.largest())
    return sign | (saturate ? format.largest() : format.has_infinity ? format.infinity() : format.nan());
  return sign | unsigned(code);
}

/// The same for a number of 32 bits, in operations that compilers can vectorise.
CORNERTURN_HOST_DEVICE constexpr unsigned rounded_bits(float value, small_format format, bool saturate) {
  auto const all = std::bit_cast<std::uint32_t>(value), magnitude = all & 0x7fffffffu;
  unsigned const sign = all >> 31 ? format.sign() : 0;
  int const dropped = 23 - format.mantissa_bits;
  auto const even = magnitude + ((1u << (dropped - 1)) - 1) + (magnitude >> dropped & 1);
  auto const normal = (even >> dropped) - (unsigned(127 - format.bias()) << format.mantissa_bits);
  // A subnormal result is a multiple of its format's least number. A sum whose last bit is that number is rounded to it.
  auto const aligner = std::uint32_t(127 + 24 - format.bias() - format.mantissa_bits) << 23;
  auto const sum = std::bit_cast<float>(magnitude) + std::bit_cast<float>(aligner);
  auto const subnormal = std::bit_cast<std::uint32_t>(sum) - aligner;
  bool const is_subnormal = format.bias() < 127 && magnitude < std::uint32_t(128 - format.bias()) << 23;
  unsigned code = is_subnormal ? subnormal : normal;
  unsigned const beyond = saturate ? format.largest() : format.has_infinity ? format.infinity() : format.nan();
  bool const is_beyond = (code > format.largest() || magnitude >= 0x7f800000u) && !is_subnormal;
  code = is_beyond ? beyond : code;
  code = magnitude > 0x7f800000u ? format.nan() : code;
  return sign | code;
}

/// The number that a code of a format stands for.
CORNERTURN_HOST_DEVICE constexpr float value_of(unsigned bits, small_format format) {
  auto const sign = std::uint32_t(bits & format.sign() ? 1u << 31 : 0);
  unsigned const magnitude = bits & (format.sign() - 1);
  auto const normal = (magnitude << (23 - format.mantissa_bits)) + (std::uint32_t(127 - format.bias()) << 23);
  // A subnormal number is a multiple of its format's least number. No operand is subnormal, so that none is flushed to zero.
  auto const least = std::bit_cast<float>(std::uint32_t(127 + 1 - format.bias() - format.mantissa_bits) << 23);
  bool const is_subnormal = format.bias() < 127 && magnitude >> format.mantissa_bits == 0;
  auto result = is_subnormal ? std::bit_cast<std::uint32_t>(float(int(magnitude)) * least) : normal;
  result = format.has_infinity && magnitude == format.infinity() ? 0x7f800000u : result;
  result = magnitude > (format.has_infinity ? format.infinity() : format.largest()) ? 0x7fc00000u : result;
  return std::bit_cast<float>(result | sign);
}

/// The largest number of a type.
template <small_float T>
inline constexpr float kLargest = value_of(T::kFormat.largest(), T::kFormat);

/// The same for a type that is known at run time; 0 if it is no small float.
inline float largest_number(element_type type) {
  return visit_type(type, []<class T>(T) -> float {
    if constexpr (small_float<T>) return kLargest<T>;
    return 0;
  });
}

}  // namespace cornerturn::element
