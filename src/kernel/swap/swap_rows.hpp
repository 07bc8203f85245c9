#pragma once

#include "kernel/swap/swap.hpp"
#include "tile/unaligned_rows.hpp"

namespace cornerturn::tile {

/// Swaps two tiles of runs of at least 16 bytes across the diagonal through shared memory. The runs of a row of a tile are
/// contiguous. A block copies the rows of both tiles to shared memory, in the 16-byte units of global memory, and then stores the
/// rows of each tile from the runs of the other one, in such units, too. A thread gathers a unit element by element, so units
/// with the end of a run need no other instructions.
template <class T>
struct swap_rows {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kSwapRowsThreads, kBlocks = 4;
  static constexpr int V = kUnitBytes / int(sizeof(T));

  /// One of the two tiles: its rows in global memory, of `width` elements each, and the place of its first element in shared
  /// memory.
  struct tile_rows {
    T* data;
    int rows, width, shared;
  };

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, swap_args<T> const& args) {
    // Shapes and strides: the two tiles, smaller at the end of the square.
    swap_job const& job = args.job;
    tile_pair const pair(job, int(block.index()));
    int const side = job.tile_runs.divisor, whole_part = job.tile_part.divisor;
    std::int64_t const row = pair.row * std::int64_t(side), column = pair.column * std::int64_t(side),
                       element = pair.part * std::int64_t(whole_part);
    auto const left = [](std::int64_t all, int most) { return all < most ? int(all) : most; };
    int const rows = left(job.extent - row, side), columns = left(job.extent - column, side),
              part = left(job.run - element, whole_part);

    // Shift into the block: both tiles in global and in shared memory.
    T* const square = args.data + (job.square_offset(pair.group) + element);
    T* const shared = block.template shared<T, 1>();
    auto const at = [&](std::int64_t r, std::int64_t c, int down, int across, int to) {
      T* const data = square + (r * job.pitch + c * job.run);
      return tile_rows{data, down, across * part, to + int(row_leads<T, kSectorBytes>(data, job.pitch).first)};
    };
    // In shared memory, elements before the first row are read, and not used.
    constexpr int kBefore = kSectorBytes / int(sizeof(T));
    auto const above = at(row, column, rows, columns, kBefore), below = at(column, row, columns, rows, kBefore + job.shared_tile);
    bool const is_diagonal = pair.row == pair.column;

    // Load: rows of both tiles in aligned units.
    auto const load = [&](tile_rows const& each) {
      auto const place = [&](int r) { return each.shared + r * job.shared_pitch; };
      copy_touched_units<kThreads>(block, each.data, job.pitch, each.rows, each.width, job.row_units, args.data,
                                   args.data + job.elements, shared, place);
    };
    load(above);
    if (!is_diagonal) load(below);
    block.cp_async_wait_all();
    block.sync();

    // Store: rows of each tile from the runs of the other one.
    store(block, job, above, shared, (is_diagonal ? above : below).shared, part);
    if (!is_diagonal) store(block, job, below, shared, above.shared, part);
  }

 private:
  /// Stores the rows of a tile. Run j of row i is run i of row j of the tile whose first element is at `from` in shared memory. A
  /// unit has elements of at most two runs.
  template <class Block>
  CUTE_HOST_DEVICE static void store(Block& block, swap_job const& job, tile_rows const& to, T const* shared, int from,
                                     int part) {
    row_leads<T> const leads(to.data, job.pitch);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < to.rows * job.row_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int row, unit;
      job.row_units(row, unit, first + block.thread());
      int const begin = unit * V - leads(row), before = begin < 0 ? -begin : 0;
      if (row >= to.rows || begin >= to.width) continue;
      int run, in_run;
      if (part == job.tile_part.divisor)
        job.tile_part(run, in_run, begin + before);
      else
        run = 0, in_run = begin + before;  // a shorter last part has a tile of its own
      int const left = part - in_run + before;
      T const* const here = shared + (from + run * job.shared_pitch + row * part + in_run - before);
      T const* const next = here + (begin + V > to.width ? 0 : job.shared_pitch - part);  // no run follows the last one
      alignas(16) T held[V];
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) block.template shared_load<1>((k < left ? here : next) + k, &held[k]);
      T* const destination = to.data + row * job.pitch + begin;
      if (begin >= 0 && begin + V <= to.width) {
        block.template global_store<V>(destination, held, true);
      } else {
        CUTE_UNROLL
        for (int k = 0; k < V; ++k)
          block.template global_store<1>(destination + k, &held[k], begin + k >= 0 && begin + k < to.width);
      }
    }
  }
};

}  // namespace cornerturn::tile
