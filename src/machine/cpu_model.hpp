#pragma once

#include <cstdint>
#include <string_view>

namespace cornerturn {

/// The sizes that decide how many threads a run has.
struct thread_limits {
  int most = 0;                       ///< maximum number of threads of a run; 0: no limit besides `set_num_threads`
  std::int64_t share = 1 << 17;       ///< the least bytes of a result that are worth a thread
  std::int64_t quantized_tiles = 16;  ///< the least tiles of `quantize` that are worth a thread
  bool operator==(thread_limits const&) const = default;
};

/// The properties of the processor, and the sizes, by which plans and engine of the CPU decide. Sizes are in bytes unless their
/// comment says otherwise. All code works for any values from 1 on, if `panel` is at most `longest_panel`. So tests draw small
/// values, with which small arrays take every path. Limits of less than a few cache lines are not here but in the code that uses
/// them, because small arrays reach both sides of such limits.
struct cpu_limits {
  thread_limits threads;
  bool byte_permutes = false;  ///< the processor permutes the bytes of 64-byte vectors (AVX512-VBMI)
  bool line_vectors = true;    ///< vectors are whole cache lines, so that stores past the caches fill lines

  // Tiles.
  std::int64_t long_unit = 1024;       ///< units of this size or more gain nothing from an image, even past the caches
  std::int64_t shared_run = 1024;      ///< the longest run that sides look for if they share modes; half as long is enough
  std::int64_t cached_parts = 16;      ///< tiles of a result that stays in the caches, of each tile of another; 1 for one thread
  std::int64_t cached_column = 256;    ///< the least bytes of a column of such a tile
  std::int64_t scattered_row = 4096;   ///< the most units of a tile that has gaps between units on both sides
  std::int64_t shuffled_group = 2048;  ///< the most bytes of a group of a shuffle; larger tables are not worth it
  std::int64_t direct_tile = 2 << 20;  ///< a tile without an image, unless the hint has a larger one
  std::int64_t direct_row = 8 << 10;   ///< the most bytes of a row of such a tile
  std::int64_t direct_columns = 1024;  ///< the most columns of such a tile; twice as many if units are long
  std::int64_t direct_rows = 4096;     ///< the most rows of such a tile
  std::int64_t short_column = 512;     ///< bytes of a column of such a tile that may end within a line
  std::int64_t long_column = 4 << 10;  ///< bytes of a column of several tiles of which all but the first begin with a line
  std::int64_t same_sets = 1LL << 40;  ///< rows of 4 bytes and more share sets of the caches at multiples of this distance
  std::int64_t aligned_squares = 8;    ///< squares begin at cache lines if a side of a tile has this many or more
  std::int64_t surely_cached = 2 << 20;   ///< bytes of a result that stays in the caches of most processors
  std::int64_t hardly_cached = 32 << 20;  ///< bytes of a result that stays in the caches of few processors
  std::int64_t reported = 4 << 20;        ///< bytes of tiles after which a run reports its progress

  // Elements that change row by row.
  std::int64_t convert_box = 384 << 10;  ///< the most bytes of a box's image, which shares the level 2 cache with both arrays
  std::int64_t convert_buffer = 4096;    ///< bytes of the destination that change in the level 1 cache before they are stored
  std::int64_t convert_at_once = 256;    ///< elements between two stages of a change, at most `kMostAtOnce`
  static constexpr std::int64_t kMostAtOnce = 256;

  // Squares, panels and boxes in place.
  std::int64_t swap_row = 2048;          ///< the most bytes of a row of a tile of a square
  std::int64_t swap_row_per_byte = 512;  ///< the most bytes of such a row for each byte of a run
  std::int64_t swap_part = 16 << 10;     ///< the most bytes of a run that are swapped at once
  std::int64_t panel = 1 << 20;          ///< a panel that stays in a thread's level 2 cache, or in its share of the level 3 cache
  std::int64_t longest_panel = 8 << 20;  ///< the largest panel; larger than the level 2 cache if this saves a pass
  std::int64_t small_panel = 32 << 10;   ///< the largest panel in a tile of several panels
  std::int64_t padded_row = 1024;        ///< the least row of a panel in a thread's memory that is padded
  std::int64_t panel_tile = 128 << 10;   ///< a tile of a panel whose slots are written together
  std::int64_t panel_run = 1024;         ///< the least run that such a tile writes past the caches
  std::int64_t long_slot = 4 << 10;      ///< the least column of a slot that is always written as a run of its own
  std::int64_t even_slot = 1024;         ///< the least column that is written as a run of its own if vectors fill it
  std::int64_t box_part = 512;           ///< a part of a run that is worth boxes of half of `longest_panel`
  bool operator==(cpu_limits const&) const = default;
};

/// The tiles and threads that a plan should have. Images of tiles should stay in the level 2 cache. Long runs are more important
/// in the source, because the destination is written almost as fast in runs of 128 or 256 bytes as in longer ones (docs/cpu.md).
/// The defaults are for tiles with an image, which were measured on an Intel Xeon (docs/notebook/cpu.md, "What was tried").
struct cpu_tile_hint {
  std::int64_t tile = 256 << 10;  ///< bytes of a tile, at least two cache lines; more if `run` needs it
  std::int64_t columns = 2048;    ///< maximum columns: half as many if units have more than 4 bytes, more if rows are few
  std::int64_t row = 1 << 20;     ///< maximum bytes of a row
  std::int64_t run = 0;           ///< minimum bytes of a column
  /// Bytes of a tile of 1- and 2-byte elements in large results, with half as many columns; 0: as of other tiles.
  std::int64_t small_tile = 0;
  std::int64_t staged = 1;  ///< maximum bytes of an element for `transpose_staged`
  /// Bytes of a result that stays in the caches. Stores of larger results are non-temporal.
  std::int64_t streamed_above = 4 << 20;
  std::int64_t near = 64 << 20;   ///< maximum bytes of a result that has half as many columns if it is written past the caches
  std::int64_t dense = 16 << 10;  ///< bytes of a tile, past the caches, whose short rows are contiguous in the source
  std::int64_t fields = 4;        ///< the most fields that are (de)interleaved faster than by byte shuffles
  bool direct = false;            ///< asks for a strategy without an image, if there is one
  bool cached_source = false;     ///< the source is in a cache, so parts of cache lines are read as fast as whole ones
  bool along_source = false;      ///< the order of tiles: along rows of the source, not along columns of the destination
  bool prefetches = false;        ///< tiles with an image prefetch the next tile's source, even if it has gaps
  cpu_limits limits;
  bool operator==(cpu_tile_hint const&) const = default;
};

/// The tiles for an AMD and for an Intel processor with AVX-512, and for x86-64 processors without it.
cpu_tile_hint zen4_tiles(cpu_limits const& limits);
cpu_tile_hint xeon_tiles(cpu_limits const& limits);
cpu_tile_hint avx2_tiles(cpu_limits const& limits);

/// The rates of one thread for each part of `cpu_work`, as if nothing else took time, and what a call takes besides.
struct cpu_rates {
  std::string_view name;  ///< the processor on which they were measured, with an article
  int threads;            ///< the threads with which they were measured; it is unknown what more threads reach
  double cached_bytes;    ///< bytes of both arrays that stay in the caches between two calls
  double memory_bytes_per_second, cached_bytes_per_second;  ///< bytes of the arrays: past the caches, within them
  double image_bytes_per_second, joined_bytes_per_second, changed_bytes_per_second, instructions_per_second;
  double source_run_seconds;  ///< of each run
  double threads_seconds;     ///< of the start of other threads
};

/// The rates of an AMD EPYC (Zen 4).
extern cpu_rates const kZen4Rates;

/// The rates of exchanges in place: shares of a copy's speed and, for chunks, times in units of a copy's. `large` panels have
/// more than half of the largest size, and leave a thread's share of the level 3 cache.
struct cpu_exchange_rates {
  double panels, large_panels, half_column;         ///< long columns; bytes of a column that reach half of their share
  double slots, half_slot;                          ///< slots with long runs; bytes of a run that reach half
  double elements, runs, half_run;                  ///< squares of elements, of long runs; bytes that reach half
  double boxes, half_part, half_kept;               ///< boxes; bytes of a part that reach half; if a thread keeps parts
  double same_sets;                                 ///< added if the runs of boxes begin at one place of every page
  double chunk_panels, large_chunk_panels, copies;  ///< panels of chunks; added for the copies of saved parts
};

/// The rates of an AMD EPYC (Zen 4), which plans for all processors use.
extern cpu_exchange_rates const kZen4Exchanges;

}  // namespace cornerturn
