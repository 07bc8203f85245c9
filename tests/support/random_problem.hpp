#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>

#include "problem/problem.hpp"

namespace cornerturn::test {

struct random_limits {
  std::int64_t rank = 5;
  std::int64_t extent = 4;
  bool zero_extents = true;
};

/// A problem drawn from a seed: modes dense or padded, in any order and direction on either side, some repeated by a source
/// stride of 0. No two indices write one place. The lowest offset touched is 0 on both sides.
inline problem random_problem(unsigned seed, random_limits limits = {}) {
  std::mt19937 generator(seed);
  auto draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 5, 6, 8, 12, 16, 20, 24, 32, 48};

  problem p;
  p.element_size = kSizes[draw(0, std::size(kSizes) - 1)];
  p.modes.resize(draw(0, limits.rank));
  for (mode& m : p.modes) {
    m.extent = draw(1, limits.extent);
    if (limits.zero_extents && draw(0, 40) == 0) m.extent = 0;
  }
  // Dense runs are common, so that there is something to fuse; orders often agree, for the same reason.
  auto lay_out = [&](std::int64_t mode::*stride, std::int64_t& offset, bool may_repeat) {
    if (draw(0, 1)) std::ranges::shuffle(p.modes, generator);
    bool const all_reversed = draw(0, 3) == 0;
    std::int64_t step = 1;
    for (mode& m : p.modes) {
      if (draw(0, 4) == 0) step += draw(1, 3);
      m.*stride = step;
      step *= std::max<std::int64_t>(m.extent, 1);
      if (may_repeat && draw(0, 9) == 0) m.*stride = 0;
      if (all_reversed || draw(0, 9) == 0) {
        offset += std::max<std::int64_t>(m.extent - 1, 0) * m.*stride;
        m.*stride = -(m.*stride);
      }
    }
  };
  lay_out(&mode::source_stride, p.source_offset, true);
  lay_out(&mode::destination_stride, p.destination_offset, false);
  return p;
}

}  // namespace cornerturn::test
