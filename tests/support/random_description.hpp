#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

#include "cornerturn/distributed.hpp"

namespace cornerturn::test {

/// A permutation over 1 to 12 ranks drawn from a seed: axes of 0 to 4 modes, grids of the two sides that need not be alike, modes
/// replicated or divided by several modes of the grid, blocks equal or given, some of them empty.
inline distributed::description random_description(unsigned seed) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  distributed::description result;
  auto const rank = draw(0, 4);
  for (std::int64_t i = 0; i < rank; ++i) result.shape.push_back(draw(0, 30) == 0 ? 0 : draw(1, 7));
  result.axes.resize(rank);
  std::iota(result.axes.begin(), result.axes.end(), 0);
  std::ranges::shuffle(result.axes, generator);
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 8, 12, 16};
  result.element = kSizes[draw(0, std::size(kSizes) - 1)];

  auto const ranks = draw(1, 12);
  auto const shard = [&](std::vector<std::int64_t> const& shape) {
    distributed::sharding side;
    for (auto rest = ranks; rest > 1;) {
      std::int64_t factor = draw(1, rest);
      while (rest % factor != 0) --factor;
      if (factor == 1 && draw(0, 3) > 0) factor = rest;
      side.grid.push_back(factor);
      side.modes.push_back(draw(-1, rank - 1));
      rest /= factor;
    }
    if (draw(0, 1) == 0) return side;
    for (std::int64_t mode = 0; mode < rank; ++mode) {
      std::int64_t count = 1;
      for (std::size_t i = 0; i < side.grid.size(); ++i)
        if (side.modes[i] == mode) count *= side.grid[i];
      auto& blocks = side.blocks.emplace_back();
      if (draw(0, 2) == 0) continue;
      for (auto left = shape[mode]; std::int64_t(blocks.size()) < count; left -= blocks.back())
        blocks.push_back(std::int64_t(blocks.size()) + 1 == count ? left : draw(0, left));
    }
    return side;
  };
  result.source = shard(result.shape);
  std::vector<std::int64_t> permuted;
  for (auto const axis : result.axes) permuted.push_back(result.shape[axis]);
  result.destination = shard(permuted);
  return result;
}

}  // namespace cornerturn::test
