#pragma once

#include <cstdint>
#include <type_traits>

#include "element/apply.hpp"
#include "problem/element_types.hpp"

namespace cornerturn::element {

/// An element of unknown type, as the bytes of its size.
template <int Size>
using raw_element =
    std::conditional_t<Size == 1, std::uint8_t,
                       std::conditional_t<Size == 2, std::uint16_t,
                                          std::conditional_t<Size == 4, std::uint32_t,
                                                             std::conditional_t<Size == 8, std::uint64_t, complex_of<double>>>>>;

/// The last type of `Size` bytes, for which no test is needed.
template <int Size>
inline constexpr element_type kLastOfSize = [] {
  element_type last{};
  for (auto const& each : kElementTypes)
    if (each.bytes == Size) last = each.type;
  return last;
}();

/// Calls visit(T{}) with the type of elements, which have `Size` bytes.
template <int Size, class Visit>
CORNERTURN_HOST_DEVICE void visit_type_of_size(element_type type, Visit const& visit) {
#define CORNERTURN_ELEMENT_TYPE(each, CONSTANT, name, dtype, code, kind, bytes, T)                \
  if constexpr (bytes == Size) {                                                                  \
    if (element_type::each == kLastOfSize<Size> || type == element_type::each) return visit(T{}); \
  }
#include "cornerturn/element_types.def"
}

/// Calls visit.template operator()<S, D>() with the sizes of an operation's elements in bytes. Of 16 bytes are only complex
/// elements, which become elements of at least 8 bytes.
template <class Visit>
void visit_sizes(element_operation const& operation, Visit const& visit) {
  int const source = size_of(operation.source), destination = size_of(operation.destination);
  auto const each_destination = [&]<int S>() {
    auto const visit_if = [&]<int D>() {
      if constexpr (S < 16 || D >= 8)
        if (source == S && destination == D) visit.template operator()<S, D>();
    };
    visit_if.template operator()<1>(), visit_if.template operator()<2>(), visit_if.template operator()<4>();
    visit_if.template operator()<8>(), visit_if.template operator()<16>();
  };
  each_destination.template operator()<1>(), each_destination.template operator()<2>(), each_destination.template operator()<4>();
  each_destination.template operator()<8>(), each_destination.template operator()<16>();
}

/// The types that an operation selects, and how numbers are computed between them.
struct selected_types {
  element_type source, destination;
  bool is_wide = false;       ///< numbers have 64 bits
  bool are_whole = false;     ///< an integer or a boolean becomes an integer, and nothing is computed
  bool only_swapped = false;  ///< elements keep their bits, apart from the order of their bytes
  bool source_swapped = false, destination_swapped = false;

  static selected_types of(element_operation const& each) {
    return {each.source,
            each.destination,
            cornerturn::is_wide(each.source) || cornerturn::is_wide(each.destination),
            (is_integer(each.source) || each.source == element_type::boolean) && is_integer(each.destination) &&
                !factors::of(each).computes,
            only_swaps(each),
            each.source_swapped,
            each.destination_swapped};
  }
};

/// An integer with its bytes in the other order.
template <class T>
CORNERTURN_HOST_DEVICE T swapped_integer(T each) {
#ifdef __CUDA_ARCH__
  if constexpr (sizeof(T) == 8)
    return T(__byte_perm(std::uint32_t(each), 0, 0x0123)) << 32 | __byte_perm(std::uint32_t(each >> 32), 0, 0x0123);
  else
    return T(__byte_perm(std::uint32_t(each), 0, sizeof(T) == 4 ? 0x0123 : 0x4401));
#else
  if constexpr (sizeof(T) == 8)
    return __builtin_bswap64(each);
  else if constexpr (sizeof(T) == 4)
    return __builtin_bswap32(each);
  else
    return __builtin_bswap16(each);
#endif
}

/// Swaps the bytes of N elements, or of their parts if they are complex.
template <int Size, int N>
CORNERTURN_HOST_DEVICE void swap_bytes(element_type type, raw_element<Size> (&raw)[N]) {
  CORNERTURN_UNROLL
  for (int v = 0; v < N; ++v) {
    auto& each = raw[v];
    if constexpr (Size == 16) {
      auto const part = [](double of) { return std::bit_cast<double>(swapped_integer(std::bit_cast<std::uint64_t>(of))); };
      each = {part(each.real), part(each.imaginary)};
    } else if constexpr (Size > 1) {
      each = swapped_integer(each);
      if constexpr (Size == 8)
        if (type == element_type::c64) each = each << 32 | each >> 32;
    }
  }
}

/// The numbers of N elements. The imaginary parts count only for types of at least 8 bytes, of which some are complex.
template <class C, int N>
struct selected_numbers {
  C real[N], imaginary[N];
};

/// Reads the numbers of N elements of one type.
template <int Size, class C, int N>
CORNERTURN_HOST_DEVICE void read_numbers(element_type type, raw_element<Size> const (&raw)[N], selected_numbers<C, N>& numbers) {
  visit_type_of_size<Size>(type, [&]<class T>(T) {
    CORNERTURN_UNROLL
    for (int v = 0; v < N; ++v) {
      T const each = std::bit_cast<T>(raw[v]);
      if constexpr (kIsComplex<T>)
        numbers.real[v] = C(each.real), numbers.imaginary[v] = C(each.imaginary);
      else
        numbers.real[v] = number_of<C>(each), numbers.imaginary[v] = 0;
    }
  });
}

/// Writes numbers as N elements of one type.
template <int Size, class C, int N>
CORNERTURN_HOST_DEVICE void write_numbers(element_type type, selected_numbers<C, N> const& numbers, bool saturate,
                                          raw_element<Size> (&raw)[N]) {
  visit_type_of_size<Size>(type, [&]<class T>(T) {
    CORNERTURN_UNROLL
    for (int v = 0; v < N; ++v) {
      if constexpr (kIsComplex<T>)
        raw[v] = std::bit_cast<raw_element<Size>>(T{decltype(T::real)(numbers.real[v]), decltype(T::real)(numbers.imaginary[v])});
      else
        raw[v] = std::bit_cast<raw_element<Size>>(element_of<T>(numbers.real[v], saturate));
    }
  });
}

/// Changes N elements with numbers of type C.
template <bool Reads, class C, int S, int D, int N>
CORNERTURN_HOST_DEVICE void change_numbers_as(factors const& by, selected_types const& types, raw_element<S> const (&from)[N],
                                              raw_element<D> (&to)[N]) {
  selected_numbers<C, N> numbers, old{};
  read_numbers<S>(types.source, from, numbers);
  if constexpr (Reads) read_numbers<D>(types.destination, to, old);
  CORNERTURN_UNROLL
  for (int v = 0; v < N; ++v) {
    if constexpr (D >= 8) {
      auto const changed =
          applied<Reads>(by, complex_of<C>{numbers.real[v], numbers.imaginary[v]}, complex_of<C>{old.real[v], old.imaginary[v]});
      numbers.real[v] = changed.real, numbers.imaginary[v] = changed.imaginary;
    } else {
      numbers.real[v] = changed_number<Reads>(by, numbers.real[v], old.real[v]);
    }
  }
  write_numbers<D>(types.destination, numbers, by.saturate, to);
}
template <class C, int S, int D, int N>
CORNERTURN_HOST_DEVICE void change_numbers(factors const& by, selected_types const& types, raw_element<S> const (&from)[N],
                                           raw_element<D> (&to)[N]) {
  by.reads_destination ? change_numbers_as<true, C, S, D>(by, types, from, to)
                       : change_numbers_as<false, C, S, D>(by, types, from, to);
}

/// `applied` to N elements in the processor's byte order whose types are selected at run time.
template <int S, int D, int N>
CORNERTURN_HOST_DEVICE void change_native(factors const& by, selected_types const& types, raw_element<S> const (&from)[N],
                                          raw_element<D> (&to)[N]) {
  if constexpr (S == D)
    if (types.only_swapped) {
      CORNERTURN_UNROLL
      for (int v = 0; v < N; ++v) to[v] = from[v];
      return;
    }
  if constexpr (S < 16 && D < 16)
    if (types.are_whole)
      return visit_type_of_size<S>(types.source, [&]<class T>(T) {
        CORNERTURN_UNROLL
        for (int v = 0; v < N; ++v) {
          if constexpr (std::is_integral_v<T>) to[v] = raw_element<D>(std::bit_cast<T>(from[v]));
          if constexpr (std::is_same_v<T, boolean_bits>) to[v] = raw_element<D>(from[v] != 0);
        }
      });
  if constexpr (S >= 8 || D >= 8)
    if (types.is_wide) return change_numbers<double, S, D>(by, types, from, to);
  change_numbers<float, S, D>(by, types, from, to);
}

/// `applied` to N elements whose types are selected at run time, once for all of them.
template <int S, int D, int N>
CORNERTURN_HOST_DEVICE void change_selected(factors const& by, selected_types const& types, raw_element<S> const (&from)[N],
                                            raw_element<D> (&to)[N]) {
  raw_element<S> native[N];
  CORNERTURN_UNROLL
  for (int v = 0; v < N; ++v) native[v] = from[v];
  if (types.source_swapped) swap_bytes<S>(types.source, native);
  if (types.destination_swapped && by.reads_destination) swap_bytes<D>(types.destination, to);
  change_native<S, D>(by, types, native, to);
  if (types.destination_swapped) swap_bytes<D>(types.destination, to);
}

}  // namespace cornerturn::element
