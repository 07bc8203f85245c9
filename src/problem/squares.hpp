#pragma once

#include <cstdint>
#include <optional>

#include "problem/problem.hpp"

namespace cornerturn {

/// A number of equal parts, and the elements from the start of each part to the next.
struct repetition {
  std::int64_t count = 1, stride = 0;
  bool operator==(repetition const&) const = default;
};

/// A permutation in place that swaps two modes of equal extent: in every square of the batch, the run at (r, c) and the run at
/// (c, r) change places. All members count elements unless their comment says otherwise.
struct squares {
  std::int64_t extent = 0;        ///< runs along each side of a square
  std::int64_t run = 1;           ///< contiguous elements that stay together: the modes inside the swapped ones
  std::int64_t pitch = 0;         ///< from one row of runs to the next
  repetition inner, outer;        ///< the batch: up to two modes; `inner` has the smaller stride
  std::int64_t element_size = 1;  ///< bytes
  std::int64_t offset = 0;        ///< from the caller's pointer
  bool operator==(squares const&) const = default;
};

/// Restates a canonical problem whose source and destination are one array. Returns squares if the problem swaps two modes of
/// equal extent, with contiguous runs and at most two modes of batch; otherwise nothing.
std::optional<squares> squares_of(problem const& canonical);

}  // namespace cornerturn
