#include <algorithm>
#include <bit>
#include <cmath>

#include "base/round.hpp"
#include "block/sizes.hpp"
#include "kernel/cost.hpp"
#include "kernel/tiled/plan.hpp"

namespace cornerturn {
namespace {

/// The aligned pieces of `piece` bytes that a run of `bytes` bytes touches on average. Runs begin at multiples of `grid` bytes.
double pieces(double bytes, double grid, double piece) {
  return grid >= piece ? std::ceil(bytes / piece) : (bytes + piece - grid) / piece;
}

}  // namespace

demand demand_of(tiled_layout const& plan, element_sizes const& sizes, tiled_widths const& widths, int threads,
                 gpu_model const& gpu) {
  auto const& job = plan.job;
  double const blocks = plan.blocks, run = double(plan.run * sizes.source), vectors = double(plan.vectors * sizes.destination),
               runs = double(plan.elements) / plan.run, rows = double(plan.elements) / plan.vectors;
  demand result;
  result.tiles = tiles_of(blocks, gpu);
  result.resident = std::min(resident_blocks(plan.shared_bytes, threads, gpu.limits), double(kTiledResidentThreads) / threads);
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

demand demand_of(tiled_plan const& plan, gpu_model const& gpu) {
  return demand_of(plan, plan.element_size, plan.widths(), plan.threads, gpu);
}

double expected_seconds(tiled_plan const& plan, gpu_model const& gpu) {
  // The problems that tiled should gain less than 3 % on lost on average (docs/notebook/gpu.md).
  constexpr double kMargin = 1.03;
  return kMargin *
         seconds_of(demand_of(plan, gpu), gpu.tiled.at(std::size_t(std::countr_zero(unsigned(plan.element_size)))), gpu);
}

}  // namespace cornerturn
