#include <algorithm>
#include <cmath>

#include "block/sizes.hpp"
#include "kernel/unaligned/plan.hpp"

namespace cornerturn {

launch_work work_of(unaligned_plan const& plan, gpu_model const&) {
  auto const& job = plan.job;
  auto const shape = plan.shape();
  launch_work result;
  double const size = plan.element_size, tiles = job.tiles;
  double const rows = std::min(job.tile_rows, job.rows), cols = std::min(job.tile_cols, job.cols),
               read = std::min<double>(rows + kUnitBytes / size, job.rows), warps = shape.threads / double(kWarp);
  result.tiles = tiles;
  result.resident = shape.blocks;
  result.bytes = tiles * rows * cols * size * 2;
  result.sectors = tiles * (read * (cols * size / kSectorBytes + 1) + cols * (rows * size / kSectorBytes + 0.5));
  // Idle threads of a warp do not shorten a phase, but idle warps skip it.
  double const units = std::ceil(cols * size / kUnitBytes), fetches = read * (units + 1) / kWarp,
               squares = std::ceil(read * size / 4 / 4) * 4 * std::max(units, 8.0) / kWarp,
               stores = cols * std::max(std::ceil(rows * size / kUnitBytes), 4.0) / kWarp;
  // Iterations of warps for the ends of rows that begin or end in the tile, with one element per thread.
  double const ends = std::min(1.0, 2.0 * job.tile_rows / job.rows) * cols * 2 * kUnitBytes / size / kWarp;
  // The factors are instructions, or wavefronts, of a warp in each iteration of a phase.
  result.instructions = tiles * (warps * 115 + fetches * 29 + squares * (29 + 175 / size) + stores * 46 + ends * 55);
  result.wavefronts = tiles * (warps * 1.4 + fetches + squares * 7 / size + stores * 2);
  return result;
}

kernel_rates rates_of(unaligned_plan const& plan, gpu_model const& gpu) {
  return gpu_model::of_size(gpu.unaligned, plan.element_size);
}

}  // namespace cornerturn
