#include "block/sizes.hpp"
#include "kernel/planes/plan.hpp"

namespace cornerturn {

launch_work work_of(planes_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  double const parts = double(plan.blocks) / job.tiles.divisor, vectors = parts * job.vectors, planes = plan.pixel_bytes;
  launch_work result;
  result.tiles = tiles_of(plan.blocks, gpu);
  constexpr double kRegisters = 48;  // registers of a thread, as ptxas allocates them
  result.resident = resident_blocks({.threads = kPlanesThreads, .registers = kRegisters}, gpu.limits);
  double const read = vectors * plan.pixel_bytes * plan.vector(), written = vectors * planes * kUnitBytes;
  result.bytes = read + written;
  result.sectors = result.bytes / kSectorBytes;
  // As in `direct`, a wavefront is a line that a request loads. Every load of one byte per pixel touches all lines of a warp's
  // pixels.
  result.wavefronts = (plan.pixel_bytes * read + gpu.stored_line_share * written) / kLineBytes;
  // The factors were counted in the machine code. They include idle lanes.
  double const warps = double(plan.blocks) * kPlanesThreads / kWarp;
  result.instructions =
      warps * (60 + 22.0 * job.part_digits.end + kPlanesSteps * (plan.pixel_bytes * 4 + planes * (4 + 3.0 * plan.vector())));
  return result;
}

kernel_rates rates_of(planes_plan const&, gpu_model const& gpu) { return gpu.direct; }

}  // namespace cornerturn
