#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "element/apply.hpp"

namespace cornerturn::element {

/// A type that a GPU rounds by instructions for two numbers.
template <class D>
concept rounded_in_pairs = requires {
  &conversion<D>::saturated;
};

/// Rounds N numbers to a type of 8 bits, and those beyond its range to its largest number, as `element_of` does with `saturate`;
/// on a GPU NaN may lose its sign.
template <class D, int N>
CORNERTURN_HOST_DEVICE void saturate_elements(float const (&numbers)[N], D (&to)[N]) {
  if constexpr (rounded_in_pairs<D>) {
    std::uint16_t pairs[N / 2];
    CORNERTURN_UNROLL
    for (int i = 0; i < N / 2; ++i) pairs[i] = conversion<D>::saturated({numbers[2 * i], numbers[2 * i + 1]});
    std::memcpy(to, pairs, sizeof(pairs));
  } else {
    for (int v = 0; v < N; ++v) to[v] = element_of<D>(numbers[v], true);
  }
}

/// Rounds N numbers in pairs if none is beyond the range of its type. Otherwise returns false.
template <class D, int N>
CORNERTURN_HOST_DEVICE bool round_pairs(float const (&numbers)[N], D (&to)[N]) {
  float largest = 0;  // NaN does not count
  CORNERTURN_UNROLL
  for (int v = 0; v < N; ++v) largest = fmaxf(largest, fabsf(numbers[v]));
  if (largest > kLargest<D>) return false;
  saturate_elements(numbers, to);
  return true;
}

/// `applied` to N elements.
template <bool Reads, class S, class D, int N>
CORNERTURN_HOST_DEVICE void change_elements_as(factors const& by, S const (&from)[N], D (&to)[N]) {
  if constexpr (rounded_in_pairs<D> && N % 2 == 0 && std::is_same_v<compute_type<S, D>, float>) {
    float numbers[N];
    CORNERTURN_UNROLL
    for (int v = 0; v < N; ++v) {
      float old = 0;
      if constexpr (Reads) old = number_of<float>(to[v]);
      numbers[v] = changed_number<Reads>(by, number_of<float>(from[v]), old);
    }
    if (round_pairs(numbers, to)) return;
    CORNERTURN_UNROLL
    for (int v = 0; v < N; ++v) to[v] = element_of<D>(numbers[v], by.saturate);
  } else {
    CORNERTURN_UNROLL
    for (int v = 0; v < N; ++v) to[v] = applied<Reads>(by, from[v], to[v]);
  }
}

/// `applied` to N elements.
template <class S, class D, int N>
CORNERTURN_HOST_DEVICE void change_elements(factors const& by, S const (&from)[N], D (&to)[N]) {
  by.reads_destination ? change_elements_as<true>(by, from, to) : change_elements_as<false>(by, from, to);
}

}  // namespace cornerturn::element
