#include "plan/quantize_candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/planning_work.hpp"
#include "kernel/quantize/plan.hpp"

namespace cornerturn {
namespace {

step clear(std::int64_t bytes, buffer_role where) { return {clearing{bytes}, {buffer_role::source}, {where}}; }

/// Launches that run one after another, with what they need to be 0 before.
candidate candidate_of(std::vector<quantize_plan> const& launches, quantize_layout const& layout, gpu_model const& gpu) {
  candidate result{.steps = {}, .is_scaled = gpu.is_scaled};
  if (layout.finds_amax) result.steps.push_back(clear(sizeof(float), buffer_role::destination));
  if (launches.size() > 1) {
    result.workspace_bytes = quantization_of(layout, {}).line_amax_bytes();
    result.steps.push_back(clear(result.workspace_bytes, buffer_role::workspace));
  }
  for (auto const& each : launches) {
    result.seconds += expected_seconds(each, gpu);
    result.steps.push_back({each, {buffer_role::call}, {each.uses_line_amax() ? buffer_role::workspace : buffer_role::call}});
  }
  return result;
}

}  // namespace

std::vector<candidate> quantize_candidates_of(quantize_layout const& layout, gpu_model const& gpu) {
  if (layout.is_empty()) return {candidate_of({}, layout, gpu)};
  std::vector<candidate> result;
  for (auto const& launches : plan_quantize(layout)) result.push_back(candidate_of(launches, layout, gpu));
  work_of_planning.candidates += std::ssize(result);
  std::ranges::stable_sort(result, {}, &candidate::seconds);
  return result;
}

candidate cpu_quantize_candidate_of(quantize_layout const& layout, int threads) {
  candidate result;
  result.steps.push_back({cpu_quantize{layout, {.most = threads}}, {buffer_role::call}, {buffer_role::call}});
  return result;
}

problem values_of(quantize_layout const& layout) {
  bool const is_transposed = layout.column_wise.is_wanted && !layout.row_wise.is_wanted;
  auto const& output = is_transposed ? layout.column_wise : layout.row_wise;
  auto const pitch = output.is_wanted ? output.pitch : layout.cols;
  auto const of_rows = is_transposed ? 1 : pitch, of_columns = is_transposed ? pitch : 1;
  return {.modes = {{layout.rows, layout.pitch, of_rows}, {layout.cols, 1, of_columns}},
          .element_size = {size_of(layout.source_type), size_of(layout.type)},
          .operation = element_operation{.source = layout.source_type, .destination = layout.type}};
}

std::string scales_text(quantize_layout const& layout) {
  auto const rows = layout.row_wise.is_wanted, columns = layout.column_wise.is_wanted;
  return fmt::format("{}, outputs {}{}{}", name_of(layout.blocks), rows ? "rows" : "", rows && columns ? " and " : "",
                     columns ? "columns" : "");
}

}  // namespace cornerturn
