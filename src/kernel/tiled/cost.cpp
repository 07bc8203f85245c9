#include <algorithm>
#include <cmath>

#include "base/round.hpp"
#include "block/sizes.hpp"
#include "kernel/tiled/plan.hpp"

namespace cornerturn {
namespace {

/// The aligned pieces of `piece` bytes that a run of `bytes` bytes touches on average. Runs begin at multiples of `grid` bytes.
double pieces(double bytes, double grid, double piece) {
  return grid >= piece ? std::ceil(bytes / piece) : (bytes + piece - grid) / piece;
}

}  // namespace

launch_work work_of(tiled_layout const& plan, element_sizes const& sizes, tiled_widths const& widths, int threads,
                    gpu_model const& gpu) {
  auto const& job = plan.job;
  double const blocks = plan.blocks, run = double(plan.run * sizes.source), vectors = double(plan.vectors * sizes.destination),
               runs = double(plan.elements) / plan.run, rows = double(plan.elements) / plan.vectors;
  launch_work result;
  result.tiles = tiles_of(blocks, gpu);
  result.resident = std::min(resident_blocks({.threads = double(threads), .shared_bytes = double(plan.shared_bytes)}, gpu.limits),
                             double(kTiledResidentThreads) / threads);
  result.bytes = blocks * plan.elements * double(sizes.source + sizes.destination);
  // Lines of the source and the number of runs are counted as well, because DRAM reads and writes short runs at a lower rate.
  constexpr double kLineSectors = 2, kRunSectors = 1;
  double const source_sectors =
      pieces(run, plan.source_grid, kSectorBytes) + kLineSectors * pieces(run, plan.source_grid, kLineBytes) + kRunSectors;
  double const destination_sectors = pieces(vectors, plan.destination_grid, kSectorBytes) + kRunSectors;
  result.sectors = blocks * (runs * source_sectors + rows * destination_sectors);
  result.split_rows = plan.destination_grid % kSectorBytes ? blocks * rows : 0;
  // The factors were counted in the machine code. They include idle lanes.
  double const warps = threads / kWarp;
  double const load_steps = ceil_div(job.loads, threads), store_steps = ceil_div(job.stores, threads);
  int const outer = job.tile_digits.end;
  result.instructions =
      blocks * warps *
      (60 + outer * 60 + 12 * (job.load_digits.count + job.store_digits.count) +
       load_steps * (8 + job.load_digits.count * 7 + widths.rows * 3 + widths.load * (3 + (sizes.source < 4 ? widths.rows : 0))) +
       store_steps * (14 + job.store_digits.count * 7));
  return result;
}

launch_work work_of(tiled_plan const& plan, gpu_model const& gpu) {
  return work_of(plan, plan.element_size, plan.widths(), plan.threads, gpu);
}

kernel_rates rates_of(tiled_plan const& plan, gpu_model const& gpu) {
  auto result = gpu_model::of_size(gpu.tiled, plan.element_size);
  result.margin = gpu.tiled_margin;
  return result;
}

}  // namespace cornerturn
