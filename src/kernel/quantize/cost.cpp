#include "kernel/cost.hpp"
#include "block/sizes.hpp"
#include "kernel/quantize/plan.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

double expected_seconds(quantize_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  double const elements = double(job.rows) * double(job.cols);
  int const outputs = (job.row_wise.values != nullptr) + (job.column_wise.values != nullptr), size = size_of(job.source_type);
  bool const has_pairs = size == 2, finds_columns = job.column_wise.values && job.blocks == scale_blocks::row_blocks;
  demand each;
  each.bytes = elements * (size + outputs);
  each.sectors = each.bytes / kSectorBytes;
  each.tiles = double(job.tile_rows() * job.tile_cols());
  each.resident = has_pairs ? 4 : 3;
  // Warp instructions for 32 elements, fitted to bench/results/h200-operations.json with the rates of `tiled`. All estimates are
  // within 14 % of the times there.
  constexpr double kPairs = 14, kFloats = 42, kOutput = 11, kColumns = 4;
  each.instructions = elements / kWarp * ((has_pairs ? kPairs : kFloats) + kOutput * outputs + kColumns * finds_columns);
  return seconds_of(each, gpu.tiled[1], gpu);
}

}  // namespace cornerturn
