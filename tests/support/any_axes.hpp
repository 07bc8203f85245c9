#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

#include "support/square_problem.hpp"

namespace cornerturn::test {

/// A permutation of up to 8 modes, drawn from a seed, of at most about `most_bytes` bytes. Extents often repeat.
inline square_problem random_permutation(unsigned seed, std::int64_t most_bytes) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 8, 12, 16, 24};
  square_problem result{.shape = {}, .axes = {}, .element_size = kSizes[draw(0, std::size(kSizes) - 1)]};
  auto const rank = draw(1, 8), longest = draw(2, 40);
  auto left = most_bytes / result.element_size;
  for (std::int64_t i = 0; i < rank; ++i) {
    bool const repeats = i > 0 && draw(0, 2) == 0;
    auto const extent = std::clamp<std::int64_t>(repeats ? result.shape[std::size_t(draw(0, i - 1))] : draw(1, longest), 1,
                                                 std::max<std::int64_t>(1, left));
    result.shape.push_back(extent);
    left /= extent;
  }
  std::ranges::shuffle(result.shape, generator);
  result.axes.resize(std::size_t(rank));
  std::iota(result.axes.begin(), result.axes.end(), 0);
  std::ranges::shuffle(result.axes, generator);
  return result;
}

}  // namespace cornerturn::test
