#include "cpu/convert/convert.hpp"
#include "cpu/tiles/tiles.hpp"

namespace cornerturn {

/// Boxes at the ends are counted as parts of whole boxes.
cpu_work work_of(cpu_convert const& plan) {
  auto const& box = plan.boxes.front();
  auto const [source, destination] = plan.sizes;
  double const elements = double(plan.bytes) / double(destination), rows = elements / double(box.length),
               boxes = rows / double(box.rows());
  auto const permuted = plan.order == change_order::in_place_of_copy ? cpu_work() : work_of(box.permute);
  cpu_work result{.read = elements * double(source),
                  .written = elements * double(destination),
                  .streams = plan.streams,
                  .image_bytes = boxes * permuted.image_bytes,
                  .joined_bytes = boxes * permuted.joined_bytes,
                  .changed_bytes = elements * double(source + destination),
                  .instructions = boxes * permuted.instructions,
                  .source_runs = rows,
                  .threads = cpu::threads_for(plan.bytes, plan.tasks(), plan.limits.threads)};
  if (plan.order == change_order::first) {
    result.image_bytes += result.written + boxes * permuted.read;
    result.written = boxes * permuted.written;
  }
  if (plan.order == change_order::last) {
    result.image_bytes += result.read + boxes * permuted.written;
    result.read = boxes * permuted.read, result.source_runs = boxes * permuted.source_runs;
  }
  if (plan.operation.beta != 0.0) result.read += result.written;
  return result;
}

}  // namespace cornerturn
