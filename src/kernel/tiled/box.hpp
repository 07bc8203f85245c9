#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernel/alignment.hpp"
#include "kernel/tiled/job.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The size in bytes that a tile should have: `run` contiguous in the source, `vectors` contiguous in the destination, `tile` in
/// the whole tile.
struct tiled_hint {
  std::int64_t run = 256, vectors = 256, tile = 8 << 10;
  bool grows = true;  ///< the rows of one side grow until the tile is full
};

/// A mode, and the part of it that a tile has.
struct box_mode {
  mode whole;
  std::int64_t taken = 1;                      ///< indices in a tile
  std::int64_t run_step = 0, vector_step = 0;  ///< elements along the run, and along the vectors, between two indices; or 0
  std::int64_t shared_step = 0;                ///< elements of shared memory from one index to the next

  bool is_cut() const { return taken < whole.extent; }
  bool divides() const { return whole.extent % taken == 0; }
};

/// A tile of a canonical problem: a box of indices. Only the run's slowest mode and the vectors' slowest mode may be cut. For
/// example, a 64 x 48 matrix is transposed in tiles of 32 rows x 16 columns. The modes are 64 rows, of which 32 are taken, and 48
/// columns, of which 16 are taken. The run has 16 elements, the vectors have 32, and the box has 512.
struct tiled_box {
  static constexpr int kNone = -1;

  // The modes of the problem.
  element_sizes sizes;
  std::array<box_mode, tiled_job::kMostDigits> modes;  ///< by destination stride, smallest first
  std::array<int, tiled_job::kMostDigits> by_source;   ///< indices of modes, by source stride, smallest first
  int count = 0;                                       ///< modes

  // The chosen box: its size and its cuts.
  std::int64_t run = 1, vectors = 1, elements = 1;  ///< elements of the run, of the vectors and of the tile
  int run_cut = kNone, vector_cut = kNone;          ///< cut modes that tiles do not divide

  // Where the run meets the vectors, which determines the widths of accesses and the layout in shared memory.
  int vector_count = 0;           ///< modes of the vectors
  int first = kNone;              ///< the mode that is contiguous in the source
  std::int64_t before_first = 1;  ///< elements of the vectors' modes that are faster than `first`

  explicit tiled_box(problem const& p);

  bool has_factors() const {
    return std::any_of(modes.begin(), modes.begin() + count, [](box_mode const& each) { return each.whole.factor_stride != 0; });
  }

  /// Chooses a box near a hint.
  void choose(tiled_hint const& hint);

  /// The widest accesses that the box allows. `rows` may be any number of elements.
  tiled_widths widest(problem const& p, alignment const& aligned) const;

  /// Lays out the tile in shared memory: elements of the source in the destination's order, with gaps that avoid bank conflicts
  /// between the stores of a warp. Writes `column_step` of the job, and returns the number of elements of the layout.
  std::int64_t place(tiled_widths const& widths, tiled_job& job);

  /// The largest divisor of 128 that divides the byte offset of each run, and the same for each vector.
  int source_grid(problem const& p) const {
    return grid(p.source_offset, sizes.source, &mode::source_stride, &box_mode::run_step);
  }
  int destination_grid(problem const& p) const {
    return grid(p.destination_offset, sizes.destination, &mode::destination_stride, &box_mode::vector_step);
  }

 private:
  int grid(std::int64_t offset, std::int64_t size, std::int64_t mode::*stride, std::int64_t box_mode::*step) const;
  /// Chooses a box with about these numbers of elements in its run and in its vectors.
  void choose(std::int64_t run_wanted, std::int64_t vectors_wanted);
  template <class Order>
  void take(Order const& order, std::int64_t mode::*stride, std::int64_t size, std::int64_t wanted);
  template <class Order>
  int chain(Order const& order, std::int64_t mode::*stride, std::int64_t box_mode::*step, std::int64_t& length);
};

}  // namespace cornerturn
