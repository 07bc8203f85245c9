#pragma once

#include <cstdint>
#include <type_traits>

#include "element/apply.hpp"

namespace cornerturn::element {

/// An element of unknown type, as the bytes of its size.
template <int Size>
using raw_element =
    std::conditional_t<Size == 1, std::uint8_t,
                       std::conditional_t<Size == 2, std::uint16_t,
                                          std::conditional_t<Size == 4, std::uint32_t,
                                                             std::conditional_t<Size == 8, std::uint64_t, complex_of<double>>>>>;

/// Calls visit(T{}) with the type of elements, which have `Size` bytes.
template <int Size, class Visit>
CORNERTURN_HOST_DEVICE void visit_type_of_size(element_type type, Visit const& visit) {
  using enum element_type;
  if constexpr (Size == 1) {
    if (type == boolean) return visit(boolean_bits{});
    if (type == u8) return visit(std::uint8_t{});
    if (type == i8) return visit(std::int8_t{});
    if (type == f8_e4m3fn) return visit(f8_e4m3fn_bits{});
    return visit(f8_e5m2_bits{});
  } else if constexpr (Size == 2) {
    if (type == u16) return visit(std::uint16_t{});
    if (type == i16) return visit(std::int16_t{});
    if (type == f16) return visit(f16_bits{});
    return visit(bf16_bits{});
  } else if constexpr (Size == 4) {
    if (type == u32) return visit(std::uint32_t{});
    if (type == i32) return visit(std::int32_t{});
    return visit(float{});
  } else if constexpr (Size == 8) {
    if (type == u64) return visit(std::uint64_t{});
    if (type == i64) return visit(std::int64_t{});
    if (type == f64) return visit(double{});
    return visit(complex_of<float>{});
  } else {
    return visit(complex_of<double>{});
  }
}

/// A number between a type that is selected at run time and another one. A number of 32 bits is exact here.
struct selected_number {
  double real = 0, imaginary = 0;
  std::uint64_t whole = 0;  ///< of an integer or a boolean, modulo 2^64
};

/// Which types an operation selects, and how numbers are computed between them.
struct selected_types {
  element_type source, destination;
  bool is_wide = false;    ///< numbers have 64 bits
  bool are_whole = false;  ///< an integer or a boolean becomes an integer, and nothing is computed

  static selected_types of(element_operation const& each) {
    auto const is_wide = [](element_type type) { return visit_type(type, []<class T>(T) { return kIsWide<T>; }); };
    auto const is_integer = [](element_type type) { return visit_type(type, []<class T>(T) { return std::is_integral_v<T>; }); };
    return {each.source, each.destination, is_wide(each.source) || is_wide(each.destination),
            (is_integer(each.source) || each.source == element_type::boolean) && is_integer(each.destination) &&
                !factors::of(each).computes};
  }
};

template <int Size>
CORNERTURN_HOST_DEVICE selected_number number_of_selected(element_type type, bool is_wide, raw_element<Size> raw) {
  selected_number result;
  visit_type_of_size<Size>(type, [&]<class T>(T) {
    T const each = std::bit_cast<T>(raw);
    if constexpr (kIsComplex<T>) {
      result = {double(each.real), double(each.imaginary), 0};
    } else {
      result.real = is_wide ? number_of<double>(each) : double(number_of<float>(each));
      if constexpr (std::is_integral_v<T>) result.whole = std::uint64_t(std::int64_t(each));
      if constexpr (std::is_same_v<T, boolean_bits>) result.whole = each.bits != 0;
    }
  });
  return result;
}

/// `applied` to a complex element whose parts are of type Part.
template <class Part>
CORNERTURN_HOST_DEVICE selected_number combined_numbers(factors const& by, selected_number const& s, selected_number const& d) {
  auto const result =
      applied(by, complex_of<Part>{Part(s.real), Part(s.imaginary)}, complex_of<Part>{Part(d.real), Part(d.imaginary)});
  return {double(result.real), double(result.imaginary), 0};
}

/// `applied` for types that are selected at run time. It is no inline function, because its code is long.
template <int S, int D>
CORNERTURN_HOST_DEVICE_CALL raw_element<D> applied_to_selected(factors const& by, selected_types const& types, raw_element<S> s,
                                                               raw_element<D> d) {
  auto number = number_of_selected<S>(types.source, types.is_wide, s);
  if (types.are_whole) {
    if constexpr (D < 16) return raw_element<D>(number.whole);
  }
  selected_number old;
  if (by.reads_destination) old = number_of_selected<D>(types.destination, types.is_wide, d);
  number = types.is_wide ? combined_numbers<double>(by, number, old) : combined_numbers<float>(by, number, old);
  raw_element<D> result;
  visit_type_of_size<D>(types.destination, [&]<class T>(T) {
    if constexpr (kIsComplex<T>)
      result = std::bit_cast<raw_element<D>>(T{decltype(T::real)(number.real), decltype(T::real)(number.imaginary)});
    else
      result = std::bit_cast<raw_element<D>>(element_of<T>(number.real, by.saturate));
  });
  return result;
}

}  // namespace cornerturn::element
