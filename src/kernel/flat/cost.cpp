#include <algorithm>

#include "block/sizes.hpp"
#include "kernel/flat/plan.hpp"

namespace cornerturn {
namespace {

/// Sectors of all elements. In a request, `run` elements follow each other, from any place in a sector.
double sectors_of(double elements, int run, int element_size) {
  double const bytes = double(run) * element_size;
  return elements / run * std::max(1.0, (bytes - element_size) / kSectorBytes + 1);
}

}  // namespace

launch_work work_of(flat_plan const& plan, gpu_model const& gpu) {
  double const elements = double(plan.job.rows) * plan.job.cols, bytes = 2 * elements * plan.element_size;
  return {.bytes = bytes,
          .share = bytes > gpu.cached_bytes ? gpu.flat.share : gpu.flat.cached_share,
          .sectors = sectors_of(elements, std::min(plan.source_run, kWarp), plan.element_size) +
                     sectors_of(elements, std::min(plan.destination_run, plan.shape().rows), plan.element_size),
          .tiles = double(plan.blocks)};
}

kernel_rates rates_of(flat_plan const& plan, gpu_model const& gpu) {
  auto result = gpu.copies;
  auto const& rates = gpu.flat;
  result.sectors_per_second = rates.sectors_per_second;
  result.start_seconds = rates.start_seconds[std::size_t(plan.form)];
  result.wave_seconds =
      gpu_model::of_size(rates.block_seconds, plan.element_size)[std::size_t(plan.tile)] * rates.digits[std::size_t(plan.form)];
  result.last = last_wave::partial;
  return result;
}

}  // namespace cornerturn
