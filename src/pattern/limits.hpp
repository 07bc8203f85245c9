#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace cornerturn {

/// The indices of a mode from `begin` to `end - 1`.
struct index_range {
  std::int64_t begin, end;
  bool operator==(index_range const&) const = default;
};

/// A box of indices, one range for each mode.
using index_box = std::vector<index_range>;

/// The number of indices of each mode.
std::vector<std::int64_t> extents_of(index_box const& box);

/// Limits an axis that consists of modes, the last one being the innermost: only its first `extent` indices exist.
struct axis_limit {
  std::vector<std::size_t> modes;
  std::int64_t extent;
};

/// What a move between two limited layouts of one index space does, as boxes of indices that do not overlap.
struct limited_boxes {
  std::vector<index_box> copied;  ///< indices that exist on both sides
  std::vector<index_box> padded;  ///< indices that exist in the destination only
};

limited_boxes boxes_within(std::span<std::int64_t const> extents, std::span<axis_limit const> source,
                           std::span<axis_limit const> destination);

}  // namespace cornerturn
