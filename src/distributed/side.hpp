#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cornerturn/distributed.hpp"

namespace cornerturn::distributed {

/// The most ranks of a grid.
inline constexpr std::int64_t kMostRanks = 1 << 20;

/// A half-open range of blocks along one mode of the array, or of indices of one mode.
struct range {
  std::int64_t begin = 0, end = 0;
};

/// One side of a permutation, the source or the destination: an array and its blocks. Modes are modes of this side's array.
class side {
 public:
  /// Throws `error` for a sharding that does not fit the shape. `name` is the sharding's name in messages.
  side(std::string_view name, std::vector<std::int64_t> const& shape, sharding const& given);

  std::int64_t ranks() const { return ranks_; }
  std::vector<std::int64_t> coordinates_of(std::int64_t rank) const;  ///< the coordinates in the grid
  std::vector<range> block_of(std::int64_t rank) const;               ///< the indices that a rank has, one range per mode

  /// The blocks along a mode that have an index of a range of indices; blocks without indices may be among them.
  range blocks_with(std::size_t mode, range const& indices) const;

  /// The extents of the grid's modes, and the mode of the array that each divides.
  std::vector<std::int64_t> const& grid() const { return grid_; }
  std::vector<std::int64_t> const& modes() const { return modes_; }

 private:
  std::vector<std::int64_t> grid_, modes_;
  std::int64_t ranks_ = 1;
  std::vector<std::vector<std::int64_t>> begins_;  ///< per mode of the array: the first index of each block, and the extent
};

}  // namespace cornerturn::distributed
