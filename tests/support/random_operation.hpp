#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include "problem/element_types.hpp"
#include "problem/validate.hpp"
#include "support/random_problem.hpp"

namespace cornerturn::test {

/// A legal operation between any two types, often a cast alone.
inline element_operation random_operation(std::mt19937& generator) {
  auto const type = [&] { return kElementTypes[generator() % std::size(kElementTypes)].type; };
  element_operation result{type(), type()};
  if (is_complex(result.source)) result.destination = generator() % 2 ? element_type::c64 : element_type::c128;
  bool const may_be_complex = is_complex(result.destination);
  auto const factor = [&](double usual) -> std::complex<double> {
    double const some[] = {usual, usual, 0.5, -2, 3.25};
    auto const real = some[generator() % 5];
    return {real, may_be_complex && generator() % 3 == 0 ? 1.5 : 0};
  };
  result.alpha = factor(1), result.beta = factor(0);
  result.conjugate = generator() % 2, result.saturate = generator() % 2 && is_8_bit_float(result.destination);
  result.source_swapped = generator() % 4 == 0, result.destination_swapped = generator() % 4 == 0;
  if (generator() % 8 == 0) result = {.source = result.source, .destination = result.source, .source_swapped = true};
  return result;
}

constexpr std::size_t kFactors = 6 * 256;

/// The values of random scales, then those of biases, in float or double.
template <class C>
std::vector<C> const& random_factors() {
  static auto const all = [] {
    std::vector<C> result(2 * kFactors);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = C(int(i * 37 % 101) - 50) / 8;
    result[3] = -0.0f, result[5] = std::numeric_limits<C>::infinity(), result[7] = std::numeric_limits<C>::quiet_NaN();
    result[9] = C(1e-40), result[11] = C(3e38);
    return result;
  }();
  return all;
}

/// The same types with a scale or a bias or both, which vary along some modes. Modes have at most 256 indices.
inline element_operation random_affine(std::mt19937& generator, element_operation const& types, std::size_t rank) {
  auto const from = [&](std::size_t first) -> void const* {
    return factor_size(types) == sizeof(double) ? static_cast<void const*>(random_factors<double>().data() + first)
                                                : random_factors<float>().data() + first;
  };
  element_operation result{types.source, types.destination};
  auto const which = generator() % 3;
  if (which != 1) result.scale = from(0);
  if (which != 2) result.bias = from(kFactors);
  for (std::size_t i = 0; i < rank; ++i) result.factor_strides.push_back(std::int64_t(generator() % 6 / 2));  // 0 to 2
  result.saturate = types.saturate;
  result.source_swapped = types.source_swapped, result.destination_swapped = types.destination_swapped;
  return result;
}

/// The problem with any operation; every third real one has scale or bias.
inline problem with_random_operation(problem const& p, std::mt19937& generator) {
  auto const operation = random_operation(generator);
  bool const is_affine = generator() % 3 == 0 && !is_complex(operation.destination) && !p.modes.empty();
  return with_operation(p, is_affine ? random_affine(generator, operation, p.modes.size()) : operation);
}

/// A problem of up to five modes with any operation that changes elements, of at most 20,000 bytes on each side.
inline problem random_typed_problem(std::mt19937& generator) {
  for (;;) {
    auto const extent = 4 + std::int64_t(generator() % 12);
    auto const drawn = random_problem(generator(), {.rank = 5, .extent = extent, .zero_extents = false});
    auto const p = with_random_operation(drawn, generator);
    if (p.operation && source_range(p).high <= 20'000 && destination_range(p).high <= 20'000) return p;
  }
}

}  // namespace cornerturn::test
