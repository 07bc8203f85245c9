#pragma once

#include <functional>

#include "kernel/family_plan.hpp"
#include "kernel/rung/catalogue.hpp"
#include "kernel/rung/fold.hpp"
#include "tile/job.hpp"

namespace cornerturn {

/// A rung with its tile and access widths for one job. It is plain data, and valid for any memory with the planned alignment.
struct rung_plan {
  static constexpr std::string_view family = "rung";
  static constexpr int version = 1;
  /// The candidates are `copy` and `vec-both`, for problems that fold to matrices.
  static std::vector<rung_plan> candidates(problem const& refitted, alignment const& aligned, gpu_model const& gpu);
  static plan_decisions<rung_plan> decisions();

  rung kernel = rung::copy;
  access_widths widths;
  tile_shape tile;
  int element_size = 1;
  job shape;
  std::int64_t blocks = 0;                                 ///< blocks of the launch
  std::int64_t source_offset = 0, destination_offset = 0;  ///< elements from the caller's pointers

  /// Bytes of one global access; 0 if TMA copies boxes.
  int load_bytes() const { return widths.source * element_size; }
  int store_bytes() const { return widths.destination * element_size; }

  auto parameters() const {
    return std::tuple(name_of(kernel), element_size, widths.source, widths.destination, tile.rows, tile.cols, tile.threads,
                      tile.blocks, tile.tiles);
  }
};

/// The compiled tiles of a rung for these widths. A plan uses the first.
std::vector<tile_shape> tiles_of(rung kernel, int element_size, access_widths widths);

/// The same plan with another tile from `tiles_of`.
rung_plan with_tile(rung_plan each, tile_shape const& tile);

/// Plans one rung for a job. `element_size` is 1, 2, 4, 8 or 16 bytes. A side is accessed in 16-byte vectors if its address,
/// pitch, batch stride and row length are all multiples of 16 bytes (the row length is free in a copy). Throws `error` if an
/// address is not a multiple of the element size. With TMA on a side, also throws `error` if the side's address, pitch or batch
/// stride, or the length of stored rows, is not a multiple of 16 bytes.
rung_plan plan_rung(rung kernel, job const& shape, int element_size, alignment const& aligned);

/// Plans a canonical problem that folds to a batched 2-D copy (`copy`) or transpose (`vec-both`); empty for any other problem.
std::optional<rung_plan> plan_problem(problem const& canonical, alignment const& aligned);

/// `describe` gives "vec-both 64x64, 256 threads, 16-byte loads and stores: 3 x 4096 x 8192 of 4 bytes".
std::string_view name_of(rung_plan const& plan);
std::string_view idea_of(rung_plan const& plan);
std::string describe(rung_plan const& plan);

/// The work of one launch, and a GPU's rates for it. `expected_seconds` has the time.
launch_work work_of(rung_plan const& plan, gpu_model const& gpu);
kernel_rates rates_of(rung_plan const& plan, gpu_model const& gpu);

/// Groups the blocks of a plan with one tile per block by two properties of the tile: whether it crosses the end of the matrix,
/// and its offset in a cache line on either side. Both arrays begin at cache lines.
std::vector<block_class> classes_of(rung_plan const& plan, array_addresses const&);

// The programs of one rung are compiled in several translation units, one per element type and use (variants.hpp).
template <>
void gpu::run(rung_plan const& plan, void const* source, void* destination, void* stream, launch_neighbours const&);
template <>
void host::visit_runner(rung_plan const& plan, void const* source, void* destination, recording* record,
                        std::function<void(block_runner const&)> const& work);

}  // namespace cornerturn
