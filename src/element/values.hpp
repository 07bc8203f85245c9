#pragma once

#include <cstdint>

#include "cornerturn/element_operation.hpp"

namespace cornerturn::element {

/// Elements that C++20 has no type for, as their bits.
struct boolean_bits {
  std::uint8_t bits;
};
struct f8_e4m3fn_bits {
  std::uint8_t bits;
};
struct f8_e5m2_bits {
  std::uint8_t bits;
};
struct f16_bits {
  std::uint16_t bits;
};
struct bf16_bits {
  std::uint16_t bits;
};
template <class T>
struct alignas(2 * sizeof(T)) complex_of {
  T real, imaginary;
};

/// Calls visit(T{}) with the type of elements, and returns what that returns.
template <class Visit>
decltype(auto) visit_type(element_type type, Visit const& visit) {
  switch (type) {
    case element_type::boolean:
      return visit(boolean_bits{});
    case element_type::u8:
      return visit(std::uint8_t{});
    case element_type::i8:
      return visit(std::int8_t{});
    case element_type::u16:
      return visit(std::uint16_t{});
    case element_type::i16:
      return visit(std::int16_t{});
    case element_type::u32:
      return visit(std::uint32_t{});
    case element_type::i32:
      return visit(std::int32_t{});
    case element_type::u64:
      return visit(std::uint64_t{});
    case element_type::i64:
      return visit(std::int64_t{});
    case element_type::f8_e4m3fn:
      return visit(f8_e4m3fn_bits{});
    case element_type::f8_e5m2:
      return visit(f8_e5m2_bits{});
    case element_type::f16:
      return visit(f16_bits{});
    case element_type::bf16:
      return visit(bf16_bits{});
    case element_type::f32:
      return visit(float{});
    case element_type::f64:
      return visit(double{});
    case element_type::c64:
      return visit(complex_of<float>{});
    case element_type::c128:
      break;
  }
  return visit(complex_of<double>{});
}

}  // namespace cornerturn::element
