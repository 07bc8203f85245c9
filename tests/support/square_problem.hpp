#pragma once

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace cornerturn::test {

/// A permutation that exchanges two modes of equal extent, or two groups of modes, as the arguments of `permute_inplace`.
struct square_problem {
  std::vector<std::int64_t> shape, axes;
  std::int64_t element_size;

  std::int64_t bytes() const { return std::accumulate(shape.begin(), shape.end(), element_size, std::multiplies<>()); }
};

/// The exchange of modes 1 and 3 of an array of shape (outer, n, inner, n, run).
inline square_problem squares_with(std::int64_t outer, std::int64_t n, std::int64_t inner, std::int64_t run, std::int64_t size) {
  return {{outer, n, inner, n, run}, {0, 3, 2, 1, 4}, size};
}

/// A problem drawn from a seed: batches around, between and within the squares, each in up to two modes, and elements of 1 to 16
/// bytes or some more.
inline square_problem random_squares(unsigned seed, std::int64_t longest = 70) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 24, 48};
  square_problem result{.shape = {}, .axes = {}, .element_size = kSizes[draw(0, std::size(kSizes) - 1)]};
  std::vector<std::vector<std::int64_t>> groups(5);
  auto const extend = [&](std::vector<std::int64_t>& group, std::int64_t most) {
    for (auto modes = draw(0, 2); modes > 0; --modes) group.push_back(draw(1, most));
  };
  extend(groups[0], 4), extend(groups[2], 4), extend(groups[4], 3);
  groups[1] = draw(0, 3) == 0 ? std::vector{draw(1, 6), draw(1, 9)} : std::vector{draw(1, longest)};
  groups[3] = groups[1];
  std::vector<std::int64_t> first;  // the first axis of each group
  for (auto const& group : groups) {
    first.push_back(std::int64_t(result.shape.size()));
    result.shape.insert(result.shape.end(), group.begin(), group.end());
  }
  for (auto const group : {0u, 3u, 2u, 1u, 4u})
    for (std::size_t i = 0; i < groups[group].size(); ++i) result.axes.push_back(first[group] + std::int64_t(i));
  return result;
}

}  // namespace cornerturn::test
