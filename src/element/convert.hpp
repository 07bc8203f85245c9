#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "element/small_float.hpp"

namespace cornerturn::element {

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<complex_of<T>> = true;

/// True for types whose numbers are computed with 64 bits.
template <class T>
inline constexpr bool kIsWide = std::is_same_v<T, double> || std::is_same_v<T, complex_of<double>> ||
                                (std::is_integral_v<T> && sizeof(T) == 8);

/// The floating-point type that an operation from S to D computes with.
template <class S, class D>
using compute_type = std::conditional_t<kIsWide<S> || kIsWide<D>, double, float>;

/// The number that a real element stands for, rounded to C.
template <class C, class S>
CORNERTURN_HOST_DEVICE C number_of(S from) {
  if constexpr (std::is_arithmetic_v<S>) {
    return C(from);
  } else if constexpr (std::is_same_v<S, boolean_bits>) {
    return C(from.bits != 0);
  } else if constexpr (std::is_same_v<S, bf16_bits>) {
    return std::bit_cast<float>(std::uint32_t(from.bits) << 16);
  } else if constexpr (std::is_same_v<S, f16_bits>) {
#ifdef __CUDA_ARCH__
    return __half2float(__ushort_as_half(from.bits));
#else
    return value_of(from.bits, kF16);
#endif
  } else {
    constexpr bool kIsE4 = std::is_same_v<S, f8_e4m3fn_bits>;
#ifdef __CUDA_ARCH__
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(from.bits, kIsE4 ? __NV_E4M3 : __NV_E5M2)));
#else
    return value_of(from.bits, kIsE4 ? kF8E4M3FN : kF8E5M2);
#endif
  }
}

/// A number truncated to an integer of type D and limited to its range; 0 for NaN.
template <class D, class C>
CORNERTURN_HOST_DEVICE D truncated(C number) {
  // The limits are exact in C, or one more than the largest integer.
  constexpr C kLow = C(std::numeric_limits<D>::min()), kEnd = C(std::uint64_t(std::numeric_limits<D>::max()) / 2 + 1) * 2;
  if (!(number == number)) return 0;
  if (number <= kLow) return std::numeric_limits<D>::min();
  if (number >= kEnd) return std::numeric_limits<D>::max();
  return D(number);
}

#ifdef __CUDA_ARCH__
/// Rounds by the GPU's instructions, which saturate: numbers that would not round to a finite one become infinite or NaN here.
template <class C>
CORNERTURN_HOST_DEVICE std::uint8_t rounded_f8(C number, bool is_e4, bool saturate) {
  auto const kind = is_e4 ? __NV_E4M3 : __NV_E5M2;
  unsigned bits;
  if constexpr (std::is_same_v<C, float>)
    bits = __nv_cvt_float_to_fp8(number, __NV_SATFINITE, kind);
  else
    bits = __nv_cvt_double_to_fp8(number, __NV_SATFINITE, kind);
  bool const is_beyond = is_e4 ? !(std::fabs(number) <= C(464)) : std::fabs(number) >= C(61440);
  return std::uint8_t(is_beyond && !saturate ? (bits & 0x80) | (is_e4 ? 0x7f : 0x7c) : bits);
}
#endif

/// The real element of type D that is nearest to a number. `saturate` is for 8-bit floating-point types.
template <class D, class C>
CORNERTURN_HOST_DEVICE D element_of(C number, [[maybe_unused]] bool saturate) {
  if constexpr (std::is_floating_point_v<D>) {
    return D(number);
  } else if constexpr (std::is_integral_v<D>) {
    return truncated<D>(number);
  } else if constexpr (std::is_same_v<D, boolean_bits>) {
    return {std::uint8_t(number != C(0))};
  } else if constexpr (std::is_same_v<D, f16_bits>) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<C, float>)
      return {__half_as_ushort(__float2half_rn(number))};
    else
      return {__half_as_ushort(__double2half(number))};
#else
    return {std::uint16_t(rounded_bits(number, kF16, false))};
#endif
  } else if constexpr (std::is_same_v<D, bf16_bits>) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<C, float>)
      return {__bfloat16_as_ushort(__float2bfloat16_rn(number))};
    else
      return {__bfloat16_as_ushort(__double2bfloat16(number))};
#else
    return {std::uint16_t(rounded_bits(number, kBF16, false))};
#endif
  } else {
    constexpr bool kIsE4 = std::is_same_v<D, f8_e4m3fn_bits>;
#ifdef __CUDA_ARCH__
    return {rounded_f8(number, kIsE4, saturate)};
#else
    return {std::uint8_t(rounded_bits(number, kIsE4 ? kF8E4M3FN : kF8E5M2, saturate))};
#endif
  }
}

}  // namespace cornerturn::element
