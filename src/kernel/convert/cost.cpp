#include "block/sizes.hpp"
#include "kernel/convert/plan.hpp"

namespace cornerturn {

launch_work work_of(convert_plan const& plan, gpu_model const& gpu) {
  auto result = work_of(plan, plan.sizes, plan.widths(), kConvertThreads, gpu);
  double const elements = double(plan.blocks) * plan.elements, source = double(plan.sizes.source),
               destination = double(plan.sizes.destination);
  bool const reads = plan.operation.beta != 0.0;
  // The rates of `tiled` are of copies, which read as much as they write.
  double const written = gpu.convert.written, read = 2 - written;
  result.bytes = elements * (read * (source + reads * destination) + written * destination);
  if (source >= 8) result.bytes *= gpu.convert.wide;
  if (reads) result.sectors *= gpu.convert.third_access;
  result.instructions += elements / kWarp *
                         (plan.selects_types()                         ? gpu.convert.selecting
                          : is_8_bit_float(plan.operation.destination) ? gpu.convert.to_8_bit_float
                                                                       : gpu.convert.typed);
  return result;
}

kernel_rates rates_of(convert_plan const& plan, gpu_model const& gpu) {
  auto result = gpu_model::of_size(gpu.tiled, plan.sizes.source);
  // The latency is for a tile whose load phase and store phase move the same number of bytes.
  result.tile_seconds *= double(plan.sizes.source + plan.sizes.destination) / double(2 * plan.sizes.source);
  return result;
}

}  // namespace cornerturn
