#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "plan/plan.hpp"
#include "plan/round.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// What a tile takes of a mode. Where it is part of both the run and the vectors, the vectors have a multiple of the run.
struct part {
  mode whole;
  std::int64_t run = 0, vectors = 0;  ///< indices; 0 where the mode is no part of it
  std::int64_t batch = 1;

  std::int64_t inner() const { return std::max({run, vectors, std::int64_t(1)}); }
  std::int64_t columns() const { return vectors / std::max<std::int64_t>(run, 1); }
  std::int64_t tile() const { return inner() * batch; }
  std::int64_t left() const { return ceil_div(whole.extent, tile()); }
  bool divides() const { return left() * tile() == whole.extent; }
  bool run_cut() const { return run && run < whole.extent; }
  bool vector_cut() const { return vectors && vectors != whole.extent; }
};

/// A problem on its way to becoming tiles.
struct cutting {
  std::int64_t size;
  std::vector<part> parts;
  std::vector<int> by_destination;
  std::vector<int> run_chain, vector_chain;  ///< modes that follow each other on either side, the fastest first

  explicit cutting(problem const& p);

  /// Cuts tiles near these numbers of elements: of a source row, of a destination row, of all.
  void take(std::int64_t run_wish, std::int64_t vector_wish, std::int64_t tile_wish);

  /// The last mode of a chain that the tile has; -1 where it has none.
  int slowest(std::vector<int> const& chain, std::int64_t part::*side) const;
  std::int64_t elements() const;
  /// Whether a destination row may begin or end within a vector of `width` elements.
  bool ragged(alignment const& aligned, std::int64_t width, std::int64_t offset, std::int64_t row, int cut) const;

 private:
  void take_chain(std::vector<int> const& chain, std::int64_t part::*side, std::int64_t wish);
  void agree();
  void fill(std::int64_t wish);
};

}  // namespace cornerturn
