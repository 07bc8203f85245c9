#pragma once

#include <span>

#include "kernel/family_plan.hpp"
#include "kernel/tiled/box.hpp"
#include "kernel/tiled/job.hpp"
#include "kernel/tiled/layout.hpp"

namespace cornerturn {

inline constexpr tiled_widths kTiledBytes[] = {{16, 4, 16}, {16, 4, 4}, {4, 4, 16}, {4, 4, 4}};
inline constexpr tiled_widths kTiledPairs[] = {{8, 2, 8}, {8, 2, 4}, {4, 2, 8}, {4, 2, 4}, {8, 2, 2}, {2, 2, 8}};
inline constexpr tiled_widths kTiledWords[] = {{4, 4, 4}, {4, 1, 4}, {2, 2, 2}, {1, 4, 4}};
inline constexpr tiled_widths kTiledDoubles[] = {{2, 2, 2}, {1, 2, 2}, {2, 1, 1}, {1, 1, 1}};
inline constexpr tiled_widths kTiledLarge[] = {{1, 1, 1}};

/// The widths of the compiled tiled kernels for an element size. A plan has the first ones that its tile allows.
constexpr std::span<tiled_widths const> tiled_widths_of(std::int64_t element_size) {
  return element_size == 1   ? std::span<tiled_widths const>(kTiledBytes)
         : element_size == 2 ? std::span<tiled_widths const>(kTiledPairs)
         : element_size == 4 ? std::span<tiled_widths const>(kTiledWords)
         : element_size == 8 ? std::span<tiled_widths const>(kTiledDoubles)
                             : std::span<tiled_widths const>(kTiledLarge);
}

/// The tiled kernel with a small tile of a few modes for one problem, with vectors on each side that is aligned. It is plain
/// data, and valid for any memory with the planned alignment.
struct tiled_plan : tiled_layout {
  static constexpr std::string_view family = "tiled";
  static constexpr int version = 1;
  static std::vector<tiled_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<tiled_plan> decisions();

  int program = 0;  ///< index in `tiled_widths_of`
  int threads = kTiledThreads[0];
  int element_size = 1;

  tiled_widths widths() const { return tiled_widths_of(element_size)[std::size_t(program)]; }

  auto parameters() const { return std::tuple_cat(std::tuple(element_size, program, threads), tile_parameters()); }
};

/// Cuts a problem that `refit_elements` returned into tiles near a hint. Empty if no compiled kernel fits, or if a tile's offsets
/// or the number of blocks need more than 31 bits.
std::optional<tiled_plan> plan_tiled(problem const& refitted, alignment const& aligned, tiled_hint const& hint);

std::string_view idea_of(tiled_plan const& plan);
std::string describe(tiled_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(tiled_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(tiled_plan const& plan, gpu_model const& gpu);

/// Groups the blocks by their accesses. `at` has the addresses of the arrays. Throws `error` for a launch of more than 2^26
/// blocks, because every block is computed.
std::vector<block_class> classes_of(tiled_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
