#pragma once

#include <cstdint>

#include "cornerturn/element_type.hpp"

namespace cornerturn::element {

/// A floating-point format of fewer than 32 bits with subnormal numbers. Without infinities, the largest code of both signs is
/// NaN.
struct small_format {
  int exponent_bits, mantissa_bits;
  bool has_infinity;

  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr unsigned sign() const { return 1u << (exponent_bits + mantissa_bits); }
  constexpr unsigned infinity() const { return ((1u << exponent_bits) - 1) << mantissa_bits; }
  constexpr unsigned nan() const { return has_infinity ? infinity() | 1u << (mantissa_bits - 1) : sign() - 1; }
  /// The code of the largest finite number.
  constexpr unsigned largest() const { return has_infinity ? infinity() - 1 : sign() - 2; }
};

/// Elements that C++20 has no type for, as their bits.
struct boolean_bits {
  std::uint8_t bits;
};
struct f8_e4m3fn_bits {
  std::uint8_t bits;
  static constexpr small_format kFormat{4, 3, false};
};
struct f8_e5m2_bits {
  std::uint8_t bits;
  static constexpr small_format kFormat{5, 2, true};
};
struct f16_bits {
  std::uint16_t bits;
  static constexpr small_format kFormat{5, 10, true};
};
struct bf16_bits {
  std::uint16_t bits;
  static constexpr small_format kFormat{8, 7, true};
};
template <class T>
struct alignas(2 * sizeof(T)) complex_of {
  T real, imaginary;
};

/// A type of floating-point elements of fewer than 32 bits.
template <class T>
concept small_float = requires {
  T::kFormat;
};

/// Calls visit(T{}) with the type of elements, and returns what that returns.
template <class Visit>
decltype(auto) visit_type(element_type type, Visit const& visit) {
  switch (type) {
#define CORNERTURN_ELEMENT_TYPE(type, CONSTANT, name, dtype, code, kind, bytes, T) \
  case element_type::type:                                                         \
    return visit(T{});
#include "cornerturn/element_types.def"
  }
  return visit(complex_of<double>{});
}

}  // namespace cornerturn::element
