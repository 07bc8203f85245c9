#include "kernel/cost.hpp"
#include "block/sizes.hpp"
#include "kernel/quantize/plan.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

double expected_seconds(quantize_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  double const elements = double(job.rows) * double(job.cols);
  int const size = size_of(job.source_type);
  int const rows = job.row_wise.values != nullptr, columns = job.column_wise.values != nullptr, outputs = rows + columns;
  demand each;
  each.bytes = elements * (size + outputs);
  each.sectors = each.bytes / kSectorBytes;
  each.tiles = double(job.tile_rows() * job.tile_cols());
  each.resident = size == 1 ? 2 : size == 2 ? 4 : 3;
  // Warp instructions for 32 elements, fitted to bench/results/h200-operations.json with the rates of `tiled`. All estimates are
  // within 7 % of the times there; no 8-bit floats are among them.
  constexpr double kPairs = 10, kFloats = 21, kRows = 9.8, kColumns = 12, kScales = 2.5;
  each.instructions = elements / kWarp *
                      ((size == 2 ? kPairs : kFloats) + kRows * rows + kColumns * columns +
                       kScales * outputs * (job.blocks == scale_blocks::row_blocks));
  return seconds_of(each, gpu.tiled[1], gpu);
}

}  // namespace cornerturn
