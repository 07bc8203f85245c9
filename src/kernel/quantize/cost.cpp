#include "kernel/cost.hpp"
#include "block/sizes.hpp"
#include "kernel/quantize/plan.hpp"
#include "problem/element_types.hpp"

namespace cornerturn {

double expected_seconds(quantize_plan const& plan, gpu_model const& gpu) {
  auto const& job = plan.job;
  double const elements = double(job.rows) * double(job.cols);
  int const size = size_of(job.source_type);
  bool const finds_amax = plan.form == quantize_form::amax, by_rows = plan.form == quantize_form::rows;
  int const rows = !finds_amax && job.row_wise.values, columns = !finds_amax && job.column_wise.values;
  int const outputs = rows + columns;
  demand each;
  each.bytes = elements * (size + outputs);
  each.sectors = each.bytes / kSectorBytes;
  each.tiles = tiles_of(double(plan.blocks()), gpu);
  each.resident = size == 1 ? 2 : (size == 2 && !by_rows) || finds_amax ? 4 : 3;
  // Warp instructions for 32 elements, fitted to bench/results/h200-operations.json.gz with the rates of `tiled`. Estimates are
  // within 7 % of the times there, except for 8-bit floats, which were not fitted.
  constexpr double kPairs = 10, kFloats = 21, kRows = 9.8, kColumns = 12, kScales = 2.5;
  // The instructions of the launch that only finds magnitudes are counted in its source, and were not fitted.
  constexpr double kAmaxPairs = 3, kAmaxFloats = 6;
  double const found = size == 2 ? kAmaxPairs : kAmaxFloats, changed = size == 2 ? kPairs : kFloats;
  each.instructions =
      elements / kWarp *
      (finds_amax ? found
                  : changed + kRows * rows + kColumns * columns + kScales * outputs * (!by_rows && job.has_scales_of_rows()));
  return seconds_of(each, gpu.tiled[1], gpu);
}

}  // namespace cornerturn
