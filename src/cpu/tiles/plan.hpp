#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "cpu/sizes.hpp"
#include "cpu/tiles/shuffle.hpp"
#include "kernel/decisions.hpp"
#include "machine/cpu_work.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A loop over tiles.
struct tile_loop {
  std::int64_t count = 1;        ///< tiles
  std::int64_t source = 0;       ///< bytes from one tile to the next in the source
  std::int64_t destination = 0;  ///< bytes from one tile to the next in the destination
  bool operator==(tile_loop const&) const = default;
};

/// The iterations of nested loops.
template <class Loop>
std::int64_t iterations_of(std::vector<Loop> const& loops) {
  std::int64_t result = 1;
  for (auto const& each : loops) result *= each.count;
  return result;
}

/// One extent of a tile that a loop may cut. The last tile of such a loop may be smaller.
struct tile_cut {
  int loop = -1;          ///< the loop, as an index of cpu_plan::loops; -1 if no loop cuts the extent
  std::int64_t last = 0;  ///< the extent of the loop's last tile, in the unit of the tile's extent
};

/// How a plan's tiles are moved: the rows of strategies.def, which describe each strategy.
enum class cpu_strategy {
#define CORNERTURN_CPU_STRATEGY(name, has_image) name,
#include "cpu/tiles/strategies.def"
};

/// A tile: `batch` matrices of `rows` x `columns` units each. Rows are contiguous in the destination. Columns are contiguous in
/// the source, except if `cpu_load::is_apart`. The last tile of a loop that cuts an extent may be smaller.
struct cpu_tile {
  std::int64_t unit = 1;     ///< bytes
  std::int64_t batch = 1;    ///< matrices of a full tile
  std::int64_t rows = 1;     ///< units of a full tile's columns
  std::int64_t columns = 1;  ///< units of a full tile's rows
  tile_cut cut_unit, cut_batch, cut_rows, cut_columns;

  std::int64_t row_bytes() const { return columns * unit; }
  std::int64_t column_bytes() const { return rows * unit; }
  std::int64_t bytes() const { return batch * rows * row_bytes(); }
};

/// Offsets in bytes of a tile's parts from its first byte.
struct cpu_tables {
  std::vector<std::int64_t> batch_source;   ///< by matrix of the batch: its offset in the source
  std::vector<std::int64_t> row_source;     ///< by row: its offset in the source
  std::vector<std::int64_t> column_source;  ///< by column: its offset in the source, ascending; empty if columns are contiguous
  std::vector<std::int64_t> run_source;     ///< by run that is prefetched: its offset in the source
  std::vector<std::int64_t> column_destination;  ///< by column: its offset in the destination; empty if nothing is copied there
};

/// How the source is read.
struct cpu_load {
  std::int64_t offset = 0;             ///< bytes from the caller's pointer to the first tile
  std::int64_t begin = 0;              ///< bytes from the caller's pointer to the first byte that is read
  std::int64_t end = 0;                ///< bytes from the caller's pointer to the end of the last byte that is read
  std::int64_t row_step = 0;           ///< bytes from each row to the next; 0 if that varies
  std::int64_t prefetch_distance = 0;  ///< bytes ahead in a row that are prefetched; 0: none; `transpose_nt`: the rows below
  std::int64_t run = 0;                ///< bytes of each run of the next tile that is prefetched; 0: nothing is prefetched
  std::int64_t adjacent = 1;           ///< columns of a group; the columns of a group are contiguous
  std::int64_t last = 0;               ///< bytes from the first unit of a matrix of a full tile to its last one
  bool shared_modes = false;           ///< the rows contain modes that the columns skip, so groups of columns are not adjacent
  bool has_gaps = false;               ///< columns have gaps between them that are shorter than a cache line
  bool dense = false;                  ///< rows are contiguous

  /// True if columns, or groups of columns, are not adjacent.
  bool is_apart() const { return shared_modes || has_gaps; }
};

/// How the destination is written.
struct cpu_store {
  std::int64_t offset = 0;       ///< bytes from the caller's pointer to the first tile
  std::int64_t row_step = 1;     ///< bytes from each row to the next; a unit if rows are contiguous
  std::int64_t column_step = 0;  ///< bytes from each column to the next; 0 if that varies
  std::int64_t alignment = 1;    ///< bytes, up to 64, to which all columns are aligned if the first one is aligned to 64
  bool dense = false;            ///< columns are contiguous
  bool streams = false;          ///< stores are non-temporal, past the caches
  int adjacent = 1;              ///< columns of a group; the columns of a group are contiguous
};

/// How elements change while they are transposed. The plan's unit is an element of the destination.
struct cpu_change {
  element_operation operation;
  std::int64_t source_unit = 1;  ///< bytes of a unit in the source, where the offsets of tiles and rows count bytes, too
};

/// How the CPU moves a canonical problem: the strategy and the tiles. A tile has long contiguous runs in the source and in the
/// destination. If both sides begin with the same modes, one side's runs would be short. Then the sides share these modes: the
/// rows contain them, and the columns have the modes before and after them.
struct cpu_plan {
  static constexpr std::string_view family = "cpu-tiles";
  static constexpr int version = 1;

  cpu_strategy strategy = cpu_strategy::transpose_image;
  cpu_tile tile;
  std::vector<tile_loop> loops;  ///< over tiles; the last one runs fastest
  cpu_tables tables;
  cpu_shuffle shuffle;  ///< the tables of the strategy `shuffle`
  cpu_load load;
  cpu_store store;
  std::optional<cpu_change> change;  ///< how elements change on the way, by the strategy `transpose_nt`; none: bits are copied
  std::int64_t bytes = 0;            ///< bytes of the result
  cpu_limits limits;

  std::int64_t tasks() const { return iterations_of(loops); }  ///< tiles
  /// A plan of the first tiles, which is timed in place of a large one. It has one tile, or more while they have at most
  /// `most_bytes` bytes, and touch a page for each cache line of these bytes at most.
  cpu_plan part(std::int64_t most_bytes) const;
  /// False if the vectors of the only tile are stored to the destination. Then a small call needs no memory for an image.
  bool needs_image() const {
    auto const shorter_side = std::min(tile.rows, tile.columns) * tile.unit;
    return !loops.empty() || strategy != cpu_strategy::transpose_cached || shorter_side < kVectorBlock;
  }
  /// The bytes from one column to the next in a tile's image.
  std::int64_t pitch() const;
  /// The bytes from a tile's source to a unit's source; units are counted row by row, column by column and then through the
  /// batch.
  std::int64_t source_of(std::int64_t index) const;
  /// The bytes of a tile's image, with room for whole vectors after it, and of the stage.
  std::int64_t image_bytes() const { return stage_offset() + stage_bytes(); }
  /// The bytes from the image's memory to the stage. Elements of `transpose_staged` pass through the stage, and `transpose_nt`
  /// keeps a cache line of each column there, or two lines if it joins columns.
  std::int64_t stage_offset() const;
  std::int64_t stage_bytes() const;
  /// The bytes of the stage of `transpose_staged`.
  std::int64_t two_pass_bytes() const;

  /// True if columns of a tile begin where the columns before them end, so that both share a line, which is written once.
  bool joins_columns() const { return strategy == cpu_strategy::transpose_nt && store.adjacent > 1 && !limits.line_vectors; }
  /// True if an image is written by groups of columns, because its columns are short.
  bool writes_groups() const {
    bool const is_transposed = strategy == cpu_strategy::transpose_image || strategy == cpu_strategy::transpose_staged;
    bool const are_short = kCacheLine <= tile.column_bytes() && tile.column_bytes() < limits.short_column;
    return is_transposed && store.streams && !store.dense && store.adjacent > 1 && are_short && !limits.line_vectors;
  }
  /// True if tiles follow each other along rows of the source, not along columns of the destination.
  bool is_along_source() const { return tile.cut_rows.loop >= 0 && tile.cut_columns.loop == int(loops.size()) - 1; }

  auto parameters() const {
    return std::tuple(int(strategy), tile.unit, tile.batch, tile.rows, tile.columns, is_along_source(), store.streams, load.run);
  }

  static plan_decisions<cpu_plan> decisions();             ///< of plans that copy bits
  static plan_decisions<cpu_plan> decisions_of_changes();  ///< of plans with a `change`
  static plan_decisions<cpu_plan> decisions_in_place();    ///< of small panels, which tiles permute in place
};

/// Plans a canonical problem that has elements. Throws `error` for a problem that is larger than a processor can address.
cpu_plan plan_cpu(problem const& canonical, cpu_tile_hint const& hint = {});

/// Plans a canonical problem that has elements and an operation without scale or bias, if a strategy without an image suits it.
/// With beta, only types that change in vector registers have such a plan. Throws `error` like `plan_cpu`.
std::optional<cpu_plan> plan_cpu_changing(problem const& canonical, cpu_tile_hint const& hint = {});

std::string describe(cpu_plan const& plan);

/// The work of a run of the plan.
cpu_work work_of(cpu_plan const& plan);

}  // namespace cornerturn
