#include "kernel/small/plan.hpp"

namespace cornerturn {

launch_work work_of(small_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  double const bytes = 2.0 * job.tiles.z * job.rows * job.cols * plan.element_size;
  return {
      .bytes = bytes, .share = bytes > gpu.cached_bytes ? gpu.small.share : gpu.small.cached_share, .tiles = double(plan.blocks)};
}

/// A small launch starts earlier than those of other families, but has fewer bytes in flight.
kernel_rates rates_of(small_plan const& plan, gpu_model const& gpu) {
  auto result = gpu.copies;
  auto const& form = gpu_model::of_size(gpu.small.forms, plan.element_size)[std::size_t(plan.form)];
  result.start_seconds = form.start_seconds, result.wave_seconds = form.block_seconds;
  result.last = last_wave::partial;
  return result;
}

}  // namespace cornerturn
