#pragma once

#include <random>

#include "problem/element_types.hpp"

namespace cornerturn::test {

/// A legal operation between any two types, often a cast alone.
inline element_operation random_operation(std::mt19937& generator) {
  auto const type = [&] { return element_type(generator() % (unsigned(element_type::c128) + 1)); };
  element_operation result{type(), type()};
  if (is_complex(result.source)) result.destination = generator() % 2 ? element_type::c64 : element_type::c128;
  bool const may_be_complex = is_complex(result.destination);
  auto const factor = [&](double usual) -> std::complex<double> {
    double const some[] = {usual, usual, 0.5, -2, 3.25};
    auto const real = some[generator() % 5];
    return {real, may_be_complex && generator() % 3 == 0 ? 1.5 : 0};
  };
  result.alpha = factor(1), result.beta = factor(0);
  result.conjugate = generator() % 2, result.saturate = generator() % 2;
  return result;
}

}  // namespace cornerturn::test
