#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/round.hpp"
#include "kernel/alignment.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// How tiles divide one mode. If the mode is in both the run and the vectors, `vectors` is a multiple of `run`. All members count
/// indices of the mode.
struct tiled_mode {
  mode whole;
  std::int64_t run = 0, vectors = 0;  ///< indices in the run and in the vectors; 0 if the mode is not in them
  std::int64_t batch = 1;             ///< number of parts of `inner()` indices in a tile

  std::int64_t inner() const { return std::max({run, vectors, std::int64_t(1)}); }
  std::int64_t source_rows() const { return vectors / std::max<std::int64_t>(run, 1); }
  std::int64_t tile() const { return inner() * batch; }
  std::int64_t tiles() const { return ceil_div(whole.extent, tile()); }
  bool divides() const { return tiles() * tile() == whole.extent; }
  bool run_cut() const { return run && run < whole.extent; }
  bool vector_cut() const { return vectors && vectors != whole.extent; }
};

/// The tiles of a canonical problem.
struct gather_tiling {
  std::int64_t size;  ///< bytes of an element
  std::vector<tiled_mode> modes;
  std::vector<int> by_destination;  ///< the modes by destination stride, smallest first
  std::vector<int> run_chain;       ///< modes that are contiguous in the source or have small gaps there, fastest first
  std::vector<int> vector_chain;    ///< modes that are contiguous in the destination, fastest first

  explicit gather_tiling(problem const& p);

  /// Chooses tiles with about these numbers of elements in a source row, in a destination row and in the whole tile.
  void choose(std::int64_t run_elements, std::int64_t vector_elements, std::int64_t tile_elements);

  /// The slowest mode of a chain that has indices in a row; -1 if there is none.
  int slowest(std::vector<int> const& chain, std::int64_t tiled_mode::*side) const;
  std::int64_t tile_elements() const;
  /// True if a destination row may begin or end within a vector of `width` elements. `offset` is the destination's offset, `row`
  /// the length of a row, both in elements. `cut` is the vectors' cut mode, or -1.
  bool ragged(alignment const& aligned, std::int64_t width, std::int64_t offset, std::int64_t row, int cut) const;

 private:
  void choose_row(std::vector<int> const& chain, std::int64_t tiled_mode::*side, std::int64_t wanted);
  void reconcile();
  void choose_batch(std::int64_t wanted);
};

}  // namespace cornerturn
