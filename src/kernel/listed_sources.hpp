#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tile/source_list.hpp"

namespace cornerturn {

/// The `source_list` of a plan, in a vector as long as the list, so that plans stay small.
struct listed_sources {
  std::vector<std::int64_t> offsets;  ///< bytes from the plan's source to each array, at most `source_list::kMost`; none: one array
  std::int64_t step = 0;              ///< elements of the destination from one array's result to the next array's
  int blocks = 0;                     ///< blocks of each array

  source_list as_parameter() const {
    source_list result;
    if (offsets.empty()) return result;
    result.blocks = fast_divmod(blocks), result.step = step;
    std::ranges::copy(offsets, result.offsets.begin());
    return result;
  }

  /// The array of a block of the launch.
  struct place {
    std::int64_t index;            ///< the block's index among the blocks of the array
    std::int64_t source = 0;       ///< bytes from the plan's source to the array
    std::int64_t destination = 0;  ///< elements from the plan's destination to the array's result
  };
  place place_of(std::int64_t block) const {
    if (offsets.empty()) return {block};
    auto const which = block / blocks;
    return {block % blocks, offsets[std::size_t(which)], which * step};
  }
};

/// A plan for one array as a plan for the arrays of a list. Their launch has at most 2^31 - 1 blocks.
template <class Plan>
Plan with_sources(Plan plan, std::vector<std::int64_t> offsets, std::int64_t step) {
  plan.sources = {std::move(offsets), step, plan.blocks};
  plan.blocks *= int(plan.sources.offsets.size());
  return plan;
}

}  // namespace cornerturn
