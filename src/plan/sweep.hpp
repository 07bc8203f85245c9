#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "plan/plan.hpp"

namespace cornerturn {

/// Which of a rung's tiles the ladder climbs: its best alone, all of them, or those of some sizes.
struct tile_choice {
  struct size {
    int rows, cols;
  };
  bool all = false;
  std::vector<size> sizes;

  bool best_alone() const { return !all && sizes.empty(); }
  bool takes(tile_shape const& tile) const;
};

/// A row of the ladder to be, and the plan behind it; none where the rung cannot serve the matrix: the row says why.
struct ladder_entry {
  ladder_row row;
  std::optional<rung_plan> chosen;
};

/// The rows of one rung for a dense matrix, at least one. A copy whose tile is one row takes the matrix as one long row.
std::vector<ladder_entry> entries_of(rung kernel, std::int64_t rows, std::int64_t cols, int element_size,
                                     alignment const& aligned, tile_choice const& tiles);

}  // namespace cornerturn
