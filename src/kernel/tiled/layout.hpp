#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "kernel/family_plan.hpp"
#include "kernel/tiled/box.hpp"
#include "kernel/tiled/job.hpp"
#include "launch/block_class.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A problem cut into the tiles of `tile::tiled_block`: the parameters of the launch, and the numbers for its cost.
struct tiled_layout {
  tiled_job job;
  factor_steps factors;                       ///< all 0 unless the operation has scale or bias
  int blocks = 0;                             ///< blocks of the launch
  int shared_bytes = 0;                       ///< bytes of shared memory per block
  int run = 1, vectors = 1;                   ///< elements of a tile's run and of its vectors
  int elements = 1;                           ///< elements of a tile
  int source_grid = 1, destination_grid = 1;  ///< bytes: all runs, and all vectors, begin at multiples of it; at most 128
  std::int64_t source_offset = 0, destination_offset = 0;

  auto tile_parameters() const { return std::tuple(blocks, elements, run, vectors, shared_bytes); }
};

constexpr bool can_lay_out(problem const& p) { return !p.modes.empty() && p.modes.size() <= tiled_job::kMostDigits; }

/// Cuts a problem into tiles of the shape of `box`, for accesses of widths that the box allows. Returns nothing if a tile's
/// offsets or the number of blocks need more than 31 bits.
std::optional<tiled_layout> lay_out(tiled_box& box, problem const& p, tiled_widths const& widths);

/// The work of one launch with `threads` threads per block.
launch_work work_of(tiled_layout const& layout, element_sizes const& sizes, tiled_widths const& widths, int threads,
                    gpu_model const& gpu);

/// Appends the numbers on which the accesses of a block depend, for `grouped`.
void write_kind(tiled_layout const& layout, element_sizes const& sizes, std::int64_t block, std::vector<std::int64_t>& kind);

/// Groups the blocks by their accesses. Throws `error` for a launch of more than 2^26 blocks, because every block is computed.
std::vector<block_class> classes_of(tiled_layout const& layout, element_sizes const& sizes);

}  // namespace cornerturn
