#include <cmath>

#include "block/sizes.hpp"
#include "kernel/packed/plan.hpp"

namespace cornerturn {

launch_work work_of(packed_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  auto const tile = plan.shape();
  double const across = tile.cols * plan.bits / 8, down = tile.rows * plan.bits / 8;
  double const matrices =
      job.tiles / (std::ceil(double(job.source_row) / across) * std::ceil(double(job.destination_row) / down));
  double const bytes = matrices * double(job.source_row) * double(job.destination_row) * 8 / plan.bits,
               requests = bytes / 4 / kWarp;
  launch_work result;
  result.tiles = tiles_of(job.tiles, gpu);
  result.resident = tile.blocks;
  result.bytes = 2 * bytes;
  double const loads = requests * (4.0 / job.source_bytes), stores = requests * (4.0 / job.destination_bytes);
  bool const loads_bytes = job.source_bytes == 1, stores_bytes = job.destination_bytes == 1;
  // Each load of bytes touches all sectors of its words. Runs of bytes begin within sectors.
  result.sectors = bytes / kSectorBytes * ((loads_bytes ? 4 * (1 + kSectorBytes / across) : 1) + (stores_bytes ? 2 : 1));
  result.wavefronts = requests * (loads_bytes ? 3 : 1) + (stores_bytes ? stores : requests);
  // Instructions of a warp, as counted in the machine code. They include the exchanges in registers.
  result.instructions = loads * 8 + stores * 8 + requests * ((loads_bytes ? 10 : 4) + 1.6 * std::log2(32.0 / plan.bits));
  return result;
}

kernel_rates rates_of(packed_plan const&, gpu_model const& gpu) { return gpu_model::of_size(gpu.tiled, 4); }

}  // namespace cornerturn
