#include "block/sizes.hpp"
#include "kernel/quantize/plan.hpp"

namespace cornerturn {

launch_work work_of(quantize_plan const& plan, gpu_model const& gpu) {
  auto const& layout = plan.layout;
  auto const& counts = gpu.quantize;
  double const elements = double(layout.rows) * double(layout.cols);
  int const size = size_of(layout.source_type);
  bool const finds_amax = plan.form == quantize_form::amax, by_rows = plan.form == quantize_form::rows;
  int const rows = !finds_amax && layout.row_wise.is_wanted, columns = !finds_amax && layout.column_wise.is_wanted;
  int const outputs = rows + columns;
  launch_work result;
  result.bytes = elements * (size + outputs);
  result.sectors = result.bytes / kSectorBytes;
  result.tiles = tiles_of(double(plan.blocks()), gpu);
  result.resident = size == 1 ? 2 : (size == 2 && !by_rows) || finds_amax ? 4 : 3;
  double const found = size == 2 ? counts.amax_pairs : counts.amax_floats, changed = size == 2 ? counts.pairs : counts.floats;
  result.instructions = elements / kWarp *
                        (finds_amax ? found
                                    : changed + counts.rows * rows + counts.columns * columns +
                                          counts.scales * outputs * (!by_rows && plan.job().has_scales_of_rows()));
  return result;
}

kernel_rates rates_of(quantize_plan const&, gpu_model const& gpu) { return gpu_model::of_size(gpu.tiled, 2); }

}  // namespace cornerturn
