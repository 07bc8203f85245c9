#pragma once

#include <cmath>
#include <concepts>
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

/// True for floating-point types of at most 32 bits.
template <class T>
inline constexpr bool kIsQuantizable = small_float<T> || std::is_same_v<T, float>;

/// The floating-point type that an operation from S to D computes with.
template <class S, class D>
using compute_type = std::conditional_t<kIsWide<S> || kIsWide<D>, double, float>;

/// How elements of a real type T become numbers, and numbers elements: `number` is what an element stands for, rounded to C, and
/// `element` is the element that is nearest to a number. `saturate` is for 8-bit floating-point types. The types of this template
/// are small floats, which their format describes; those below have conversions of their own.
template <class T>
struct conversion {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(T from) {
    constexpr auto kFormat = T::kFormat;
    return value_of(from.bits, kFormat);
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE T element(C number, bool saturate) {
    constexpr auto kFormat = T::kFormat;
    return {decltype(T::bits)(rounded_bits(number, kFormat, saturate && sizeof(T) == 1))};
  }
};

template <std::floating_point T>
struct conversion<T> {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(T from) {
    return C(from);
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE T element(C number, bool) {
    return T(number);
  }
};

/// A number is truncated to an integer and limited to its range; NaN becomes 0.
template <std::integral T>
struct conversion<T> {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(T from) {
    return C(from);
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE T element(C number, bool) {
    // The limits are exact in C, or one more than the largest integer.
    constexpr C kLow = C(std::numeric_limits<T>::min()), kEnd = C(std::uint64_t(std::numeric_limits<T>::max()) / 2 + 1) * 2;
    if (!(number == number)) return 0;
    if (number <= kLow) return std::numeric_limits<T>::min();
    if (number >= kEnd) return std::numeric_limits<T>::max();
    return T(number);
  }
};

template <>
struct conversion<boolean_bits> {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(boolean_bits from) {
    return C(from.bits != 0);
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE boolean_bits element(C number, bool) {
    return {std::uint8_t(number != C(0))};
  }
};

/// The bits are the upper half of a float's, which NaN keeps.
template <>
struct conversion<bf16_bits> {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(bf16_bits from) {
    return std::bit_cast<float>(std::uint32_t(from.bits) << 16);
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE bf16_bits element(C number, bool) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<C, float>)
      return {__bfloat16_as_ushort(__float2bfloat16_rn(number))};
    else
      return {__bfloat16_as_ushort(__double2bfloat16(number))};
#else
    return {std::uint16_t(rounded_bits(number, bf16_bits::kFormat, false))};
#endif
  }
};

// The types that a GPU converts by instructions.
#ifdef __CUDA_ARCH__

template <>
struct conversion<f16_bits> {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(f16_bits from) {
    return __half2float(__ushort_as_half(from.bits));
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE f16_bits element(C number, bool) {
    if constexpr (std::is_same_v<C, float>)
      return {__half_as_ushort(__float2half_rn(number))};
    else
      return {__half_as_ushort(__double2half(number))};
  }
};

/// The instructions round two numbers at once and saturate: numbers that would not round to a finite one become infinite or NaN
/// here.
template <class T, __nv_fp8_interpretation_t Format>
struct f8_conversion {
  template <class C>
  static CORNERTURN_HOST_DEVICE C number(T from) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(from.bits, Format)));
  }
  template <class C>
  static CORNERTURN_HOST_DEVICE T element(C number, bool saturate) {
    unsigned bits;
    if constexpr (std::is_same_v<C, float>)
      bits = __nv_cvt_float_to_fp8(number, __NV_SATFINITE, Format);
    else
      bits = __nv_cvt_double_to_fp8(number, __NV_SATFINITE, Format);
    bool const is_beyond = Format == __NV_E4M3 ? !(std::fabs(number) <= C(464)) : std::fabs(number) >= C(61440);
    return {std::uint8_t(is_beyond && !saturate ? (bits & 0x80) | (Format == __NV_E4M3 ? 0x7f : 0x7c) : bits)};
  }
  static CORNERTURN_HOST_DEVICE __nv_fp8x2_storage_t saturated(float2 numbers) {
    return __nv_cvt_float2_to_fp8x2(numbers, __NV_SATFINITE, Format);
  }
};
template <>
struct conversion<f8_e4m3fn_bits> : f8_conversion<f8_e4m3fn_bits, __NV_E4M3> {};
template <>
struct conversion<f8_e5m2_bits> : f8_conversion<f8_e5m2_bits, __NV_E5M2> {};

#endif

/// The number that a real element stands for, rounded to C.
template <class C, class S>
CORNERTURN_HOST_DEVICE C number_of(S from) {
  return conversion<S>::template number<C>(from);
}

/// The real element of type D that is nearest to a number. `saturate` is for 8-bit floating-point types.
template <class D, class C>
CORNERTURN_HOST_DEVICE D element_of(C number, bool saturate) {
  return conversion<D>::element(number, saturate);
}

}  // namespace cornerturn::element
