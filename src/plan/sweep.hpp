#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn {

/// Selects the tiles of a rung that the ladder runs: the default tile alone, all tiles, or the tiles of some sizes.
struct tile_choice {
  struct size {
    int rows, cols;
  };
  bool all = false;
  std::vector<size> sizes;

  bool best_alone() const { return !all && sizes.empty(); }
  bool takes(tile_shape const& tile) const;
};

/// A row of the ladder and its plan. If the rung cannot move the matrix, `chosen` is empty and the row has the reason.
struct ladder_entry {
  ladder_row row;
  std::optional<rung_plan> chosen;
};

/// The rows of one rung for a dense matrix, at least one. A copy with a tile of one row takes the matrix as one long row.
std::vector<ladder_entry> entries_of(rung kernel, std::int64_t rows, std::int64_t cols, int element_size,
                                     alignment const& aligned, tile_choice const& tiles);

}  // namespace cornerturn
