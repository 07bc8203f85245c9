#include <cmath>

#include "block/sizes.hpp"
#include "kernel/packed/plan.hpp"

namespace cornerturn {

launch_work work_of(packed_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  auto const tile = plan.tile();
  double matrices = job.tiles;
  auto const tiles_along = [&](std::int64_t row, int words) { return std::ceil(double(row) / (4 * words)); };
  matrices /= tiles_along(job.source_row, tile.across) * tiles_along(job.destination_row, tile.down);
  double const bytes = matrices * double(job.source_row) * double(job.destination_row) * 8 / plan.bits,
               requests = bytes / 4 / kWarp;
  launch_work result;
  result.tiles = tiles_of(job.tiles, gpu);
  result.resident = 1024.0 * plan.bits / (tile.across * tile.down);
  result.bytes = 2 * bytes;
  result.sectors = result.bytes / kSectorBytes;
  double const loads = requests * (4.0 / job.source_bytes), stores = requests * (4.0 / job.destination_bytes);
  result.wavefronts = requests + (job.destination_bytes == 1 ? stores : requests);
  // Instructions of a warp for each word: the address of a load, log2 of a square's rows exchanges, and a store.
  result.instructions = loads * 6 + stores * 8 + requests * (4 + 2 * std::log2(32.0 / plan.bits));
  return result;
}

kernel_rates rates_of(packed_plan const&, gpu_model const& gpu) { return gpu_model::of_size(gpu.tiled, 4); }

}  // namespace cornerturn
