#pragma once

#include "block/sizes.hpp"
#include "kernel/flat/job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of the flat kernel.
template <class T, class Job>
struct flat_args {
  T const* source;
  T* destination;
  Job job;
};

/// Permutes small arrays of any axes. A thread decodes the number of its column, and of each row from which it loads. The offsets
/// of columns in the destination pass through shared memory with the elements, so nothing waits for a table. Elements are loaded
/// along columns and stored along rows, one by one.
template <class T, int RowDigits, int ColDigits, tile_shape M_Tile>
struct flat {
  using job_type = flat_job<RowDigits, ColDigits>;
  static constexpr bool kOverlaps = true;
  static constexpr int kRows = M_Tile.rows, kCols = M_Tile.cols, kThreads = M_Tile.threads, kBlocks = 1;
  static constexpr int kRowStep = kThreads / kCols, kLoads = kRows / kRowStep;
  static constexpr int kColStep = kThreads / kRows, kStores = kCols / kColStep;
  static_assert(kRowStep * kCols == kThreads && kLoads * kRowStep == kRows, "the threads load whole columns of the tile");
  static_assert(kColStep * kRows == kThreads && kStores * kColStep == kCols, "the threads store whole rows of the tile");
  /// A column of the tile is a word longer than its elements, so that the elements of a row are in different banks.
  static constexpr int kSize = int(sizeof(T)), kPitch = kRows + (kSize < kBankBytes ? kBankBytes / kSize : 1),
                       kTileBytes = kCols * kPitch * kSize;
  static constexpr int kSharedBytes = kTileBytes + kCols * int(sizeof(int));

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, flat_args<T, job_type> const& args) {
    job_type const& job = args.job;
    auto const place = block.index_in(job.tiles);
    int const rows = job.rows - place.y * kRows, cols = job.cols - place.x * kCols;
    auto const thread = unsigned(block.thread());
    T* const tile = block.template shared<T, kCols * kPitch>();
    int* const destinations = block.template shared<int, kCols>(kTileBytes);

    // Load: the elements of a thread's column.
    int const col = int(thread % kCols), row = int(thread / kCols);
    flat_offsets const column = decode(job.col_digits, col < cols ? place.x * kCols + col : 0);
    block.template shared_store<1>(destinations + col, &column.destination, row == 0);
    T held[kLoads];
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n) {
      int const at = row + n * kRowStep;
      bool const active = col < cols && at < rows;
      int const from = column.source + decode(job.row_digits, active ? place.y * kRows + at : 0).source;
      block.template global_load<1>(args.source + from, &held[n], active);
    }

    // Exchange in shared memory.
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n) block.template shared_store<1>(tile + (col * kPitch + row + n * kRowStep), &held[n]);

    // Store: the elements of a thread's row.
    int const to_row = int(thread % kRows), to_col = int(thread / kRows);
    int const to = decode(job.row_digits, to_row < rows ? place.y * kRows + to_row : 0).destination;

    block.sync();

    CUTE_UNROLL
    for (int n = 0; n < kStores; ++n) {
      int const at = to_col + n * kColStep;
      bool const active = to_row < rows && at < cols;
      T element;
      int of_column;
      block.template shared_load<1>(tile + (at * kPitch + to_row), &element, active);
      block.template shared_load<1>(destinations + at, &of_column, active);
      block.template global_store<1>(args.destination + (of_column + to), &element, active);
    }
  }
};

}  // namespace cornerturn::tile
