#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/cpu_shuffle.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A loop over tiles: how many there are along it, and the bytes from one to the next.
struct tile_loop {
  std::int64_t count = 1, source = 0, destination = 0;
  bool operator==(tile_loop const&) const = default;
};

/// What a loop cuts: a full tile's extent of it, and that of the loop's last tile. `loop` is -1 where nothing is cut.
struct tile_cut {
  int loop = -1;
  std::int64_t last = 0;
};

/// How a plan's tiles are moved. A unit is an element, or a run that lies alike on both sides. An image is a tile's part of the
/// destination, put together in the level 2 cache. A name with `nt` writes whole cache lines with non-temporal stores and without
/// an image; a tile's edges that are no whole lines go by way of an image even then.
enum class cpu_strategy {
  copy_units,        ///< copies units one by one to the destination: a single column, or units that lie apart on both sides
  copy_runs,         ///< copies units that are long enough to be runs of their own
  copy_blocks,       ///< copies units of a few 16-byte blocks to the destination, in the caches
  copy_nt,           ///< copies long units past the caches
  transpose_cached,  ///< transposes elements in vector registers and stores them to the destination, in the caches
  transpose_image,   ///< transposes units into an image, then writes the image
  transpose_staged,  ///< transposes elements of 1 or 2 bytes into an image in two passes, then writes the image
  transpose_nt,      ///< transposes two cache lines of every column at a time
  deinterleave_nt,   ///< parts rows of 2 to 4 elements into their columns
  interleave_nt,     ///< joins 2 to 4 rows into columns of 2 to 4 elements
  gather,            ///< copies units one by one into an image, as both sides begin with the same modes; then writes the image
  shuffle,           ///< looks bytes up in tables to make an image, then writes the image
};

/// How the CPU moves a canonical problem. A tile is `batch` times `rows` x `columns` units; a unit is an element, or what of both
/// sides lies alike. Rows follow each other in the destination, columns in the source, so that a tile is read in long runs and
/// written in long runs as well: at once, or by way of an image of its part of the destination in the cache. Where runs would be
/// short, as both sides begin with the same modes, rows have these, and columns follow each other together with them.
/// Offsets are in bytes.
struct cpu_plan {
  static constexpr std::int64_t kPage = 4096;     ///< bytes of the smallest page of memory
  static constexpr std::int64_t kLongRun = 1024;  ///< bytes of a run that gains nothing from an image, even past the caches

  std::int64_t unit = 1;
  std::int64_t batch = 1, rows = 1, columns = 1;  ///< of a full tile
  tile_cut cut_unit, cut_batch, cut_rows, cut_columns;
  std::vector<std::int64_t> batch_source;        ///< of each one of the batch
  std::int64_t row_step = 1;                     ///< destination, from row to row; the unit where rows follow each other
  std::vector<std::int64_t> row_source;          ///< of each row
  std::vector<std::int64_t> column_source;       ///< of each column, ascending; empty where they follow each other
  std::vector<std::int64_t> column_destination;  ///< of each column; empty where no run is copied straight to it
  std::int64_t row_gap = 0;                      ///< source, from each row to the next; 0 if that varies
  std::int64_t column_step = 0;                  ///< destination, from each column to the next; 0 if that varies
  std::int64_t alignment = 1;                    ///< in bytes, of all columns in the destination where the first has 64
  bool shares = false;                           ///< columns do not follow each other
  bool dense_source = false;                     ///< row after row lies in the source without a gap
  bool dense_image = false;                      ///< column after column lies in the destination without a gap
  bool streams = false;                          ///< writes past the caches
  cpu_strategy strategy = cpu_strategy::transpose_image;
  std::int64_t ahead = 0;  ///< transpose_nt: how far on in its rows the source is asked for; 0 if that is of the rows below
  cpu_shuffle shuffle;
  std::vector<tile_loop> loops;  ///< the last one runs fastest
  std::int64_t source_offset = 0, destination_offset = 0;
  std::int64_t source_begin = 0, source_end = 0;  ///< of all that is read
  std::int64_t bytes = 0;                         ///< written

  /// From one column to the next in a tile's image.
  std::int64_t pitch() const;
  std::int64_t tiles() const;
  /// Of a unit, from the tile's, where units are counted row by row, column by column and then through the batch.
  std::int64_t source_of(std::int64_t index) const;
  /// Of a tile's image, with room for whole vectors behind it, and of what is staged on its way there.
  std::int64_t image_bytes() const { return stage_offset() + stage_bytes(); }
  /// Where in the image's memory elements are staged, or what `transpose_nt` keeps of each column: a cache line.
  std::int64_t stage_offset() const;
  std::int64_t stage_bytes() const;
  /// What `transpose_staged` takes for a stage.
  std::int64_t two_pass_bytes() const;
};

/// What is wished of a plan's tiles, whose images stay in the level 2 cache. Long runs matter more where they are read than where
/// they are written: of 128 or 256 bytes these cost hardly more than writing straight on (docs/cpu.md).
struct cpu_wish {
  std::int64_t tile = 256 << 10;  ///< bytes, unless `run` asks for more
  /// At most so many, or of units of more than 4 bytes half as many, unless there are too few rows; and so many bytes of them.
  std::int64_t columns = 2048, row = 1 << 20;
  std::int64_t run = 0;           ///< bytes of each column at least
  std::int64_t staged = 1;        ///< bytes of the elements, at most, that are turned in two passes
  std::int64_t cached = 4 << 20;  ///< results of more bytes are written past the caches, which they would not stay in
  std::int64_t near = 64 << 20;   ///< results of at most so many bytes have half as many columns, if they are not cached
  bool direct = false;            ///< without an image, where that can be
  bool along_source = false;      ///< tiles follow each other along rows of the source, not of the destination
  bool operator==(cpu_wish const&) const = default;
};

/// Expects a canonical problem that has elements. Throws `error` for more than a processor can address.
cpu_plan plan_cpu(problem const& canonical, cpu_wish const& wish = {});

std::string describe(cpu_plan const& plan);

}  // namespace cornerturn
