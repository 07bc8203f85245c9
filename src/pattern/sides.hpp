#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cornerturn/rearrange.hpp"
#include "pattern/limits.hpp"
#include "problem/limited.hpp"

namespace cornerturn {

/// A swizzle of the tiles of a side, of modes of the permuted array. If bit i of the index of `selectors` is set, the indices 0
/// and 1 of mode flipped[i] change places.
struct side_swizzle {
  std::vector<std::size_t> selectors;  ///< the innermost last
  std::vector<std::size_t> flipped;    ///< of extent 2
  offset_swizzle of_offsets{};         ///< the same for offsets from the array's first byte; none if they are not those in a tile
};

/// The source or the result of a rearrangement. Strides count elements.
struct pattern_side {
  std::vector<std::int64_t> shape, strides;  ///< of the axes
  std::vector<int> counts;                   ///< for each axis, the number of modes of which it consists
  std::vector<std::size_t> modes;            ///< of all axes in turn, each a number of a mode of the permuted array
  std::vector<std::int64_t> mode_strides;    ///< of the modes of the permuted array
  std::vector<axis_limit> limits;            ///< of the axes that are shorter than their modes
  side_swizzle swizzle;                      ///< empty: none
};

/// Sets the strides of a side's axes, and thereby those of its modes.
void set_strides(pattern_side& side, std::vector<std::int64_t> strides, std::span<std::int64_t const> extents);

/// A rearrangement of an array: a copy between two layouts of the modes of the permuted array, within limits.
struct pattern_move {
  std::vector<std::int64_t> extents;  ///< of the modes
  pattern_side source, destination;

  bool is_limited() const { return !source.limits.empty() || !destination.limits.empty(); }
  bool is_swizzled() const { return !source.swizzle.selectors.empty() || !destination.swizzle.selectors.empty(); }
};

/// A box of a side: the offset of its first element, and the strides of its modes, in elements.
struct box_layout {
  std::int64_t offset;
  std::vector<std::int64_t> strides;
};

/// Expects a box with one index of each selector of the side's swizzle.
box_layout layout_of(index_box const& box, pattern_side const& side, pattern_move const& move);

/// Throws `error` for lists of strides that do not fit.
pattern_move move_of(rearrangement const& steps, index_list const& shape, rearrange_options const& options);

}  // namespace cornerturn
