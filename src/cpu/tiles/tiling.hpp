#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cpu/tiles/plan.hpp"
#include "cpu/tiles/side.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A plan without its tables. Most plans are tried and not chosen, so tables are made later.
struct cpu_tiling {
  cpu_plan plan;
  std::vector<byte_mode> rows, columns, batch;  ///< the modes of a full tile, the fastest first
  std::vector<byte_mode> runs;                  ///< the modes of a full tile's runs in the source, if they are prefetched
  bool may_stage = false;                       ///< units are small enough for `transpose_staged`

  /// The image's memory in bytes, with a stage if the tile may have one.
  std::int64_t image_bytes() const { return plan.image_bytes() + (may_stage ? plan.two_pass_bytes() : 0); }

  /// The plan with its tables.
  cpu_plan with_tables() const;
};

/// Bytes of a tile that fits the level 1 cache: a sixteenth of the hint's, unless the hint's is small itself.
inline std::int64_t level1_tile(cpu_tile_hint const& hint) {
  return std::max(hint.tile / 16, std::min<std::int64_t>(hint.tile, 16 << 10));
}

/// Divides a canonical problem that has elements into tiles near a hint. The strategy is not chosen yet.
cpu_tiling plan_tiles(problem const& canonical, cpu_tile_hint const& hint);

/// True if the plan reads a byte of every page from its first to its last byte, so that all bytes of these pages may be read.
bool is_connected(problem const& canonical);

}  // namespace cornerturn
