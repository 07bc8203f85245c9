#pragma once

#include <cstdint>
#include <type_traits>

#include "cornerturn/element_operation.hpp"
#include "element/values.hpp"

namespace cornerturn::element {

/// A source type and a destination type.
template <class S, class D>
struct type_pair {
  using source = S;
  using destination = D;
};

template <class... Pair>
struct pair_list {};

/// The pairs of types that have GPU kernels of their own.
using compiled_pairs =
    pair_list<type_pair<float, float>, type_pair<double, double>, type_pair<complex_of<float>, complex_of<float>>,
              type_pair<complex_of<double>, complex_of<double>>, type_pair<float, f16_bits>, type_pair<f16_bits, float>,
              type_pair<float, bf16_bits>, type_pair<bf16_bits, float>, type_pair<float, double>, type_pair<double, float>,
              type_pair<std::uint8_t, float>, type_pair<std::uint8_t, f16_bits>, type_pair<std::uint8_t, bf16_bits>,
              type_pair<float, f8_e4m3fn_bits>, type_pair<float, f8_e5m2_bits>, type_pair<f16_bits, f8_e4m3fn_bits>,
              type_pair<f16_bits, f8_e5m2_bits>, type_pair<bf16_bits, f8_e4m3fn_bits>, type_pair<bf16_bits, f8_e5m2_bits>>;

/// The pairs of types that have GPU kernels of their own for scale and bias: those of images.
using compiled_affine_pairs =
    pair_list<type_pair<std::uint8_t, float>, type_pair<std::uint8_t, f16_bits>, type_pair<std::uint8_t, bf16_bits>>;

/// The pairs of types that a CPU changes after it has transposed the elements, also with beta: the destination's elements have as
/// many bytes as the source's or twice as many, and numbers are computed in their type, or in that of their parts.
using transposed_pairs =
    pair_list<type_pair<float, float>, type_pair<double, double>, type_pair<complex_of<float>, complex_of<float>>,
              type_pair<complex_of<double>, complex_of<double>>, type_pair<f16_bits, float>, type_pair<bf16_bits, float>,
              type_pair<float, double>>;

/// The pairs of types that a CPU changes as it loads the elements that it transposes: the destination's have half as many bytes.
using narrowed_pairs = pair_list<type_pair<float, f16_bits>, type_pair<float, bf16_bits>, type_pair<double, float>>;

/// Calls visit(type_pair<S, D>{}) for each pair of a list.
template <class... Pair, class Visit>
void for_each_pair(pair_list<Pair...>, Visit const& visit) {
  (visit(Pair{}), ...);
}

/// Calls visit(type_pair<S, D>{}) for the pair of a list that has an operation's types. Returns false if there is none, or if the
/// bytes of a side are swapped.
template <class Pairs, class Visit>
bool visit_pair_of(Pairs pairs, element_operation const& operation, Visit const& visit) {
  bool found = false;
  if (operation.source_swapped || operation.destination_swapped) return found;
  visit_type(operation.source, [&]<class S>(S) {
    visit_type(operation.destination, [&]<class D>(D) {
      for_each_pair(pairs, [&]<class Pair>(Pair pair) {
        if constexpr (std::is_same_v<Pair, type_pair<S, D>>) visit(pair), found = true;
      });
    });
  });
  return found;
}

/// Calls visit(type_pair<S, D>{}) for the compiled pair of an operation. Returns false if there is none.
template <class Visit>
bool visit_compiled_pair(element_operation const& operation, Visit const& visit) {
  return visit_pair_of(compiled_pairs{}, operation, visit);
}

}  // namespace cornerturn::element
