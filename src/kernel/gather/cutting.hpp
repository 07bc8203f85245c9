#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernel/round.hpp"
#include "kernel/rung/plan.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The indices of one mode that a tile has. If the mode is in both the run and the vectors, `vectors` is a multiple of `run`.
struct part {
  mode whole;
  std::int64_t run = 0, vectors = 0;  ///< indices; 0 if the mode is not in the run or not in the vectors
  std::int64_t batch = 1;

  std::int64_t inner() const { return std::max({run, vectors, std::int64_t(1)}); }
  std::int64_t columns() const { return vectors / std::max<std::int64_t>(run, 1); }
  std::int64_t tile() const { return inner() * batch; }
  std::int64_t left() const { return ceil_div(whole.extent, tile()); }
  bool divides() const { return left() * tile() == whole.extent; }
  bool run_cut() const { return run && run < whole.extent; }
  bool vector_cut() const { return vectors && vectors != whole.extent; }
};

/// Cuts a canonical problem into tiles.
struct cutting {
  std::int64_t size;
  std::vector<part> parts;
  std::vector<int> by_destination;
  std::vector<int> run_chain, vector_chain;  ///< modes that are contiguous in the source and in the destination, fastest first

  explicit cutting(problem const& p);

  /// Cuts tiles of about these numbers of elements in a source row, in a destination row and in the whole tile.
  void take(std::int64_t run_elements, std::int64_t vector_elements, std::int64_t tile_elements);

  /// The slowest mode of a chain that has indices in the tile; -1 if no mode has.
  int slowest(std::vector<int> const& chain, std::int64_t part::*side) const;
  std::int64_t elements() const;
  /// True if a destination row may begin or end within a vector of `width` elements.
  bool ragged(alignment const& aligned, std::int64_t width, std::int64_t offset, std::int64_t row, int cut) const;

 private:
  void take_chain(std::vector<int> const& chain, std::int64_t part::*side, std::int64_t wanted);
  void agree();
  void fill(std::int64_t tile_elements);
};

}  // namespace cornerturn
