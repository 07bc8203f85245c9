#include "kernel/quantize/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "kernel/quantize/decisions.hpp"
#include "problem/int_limit.hpp"

namespace cornerturn {
namespace {

/// Elements of a vector of the source. Each becomes one byte.
int vector_elements(element_type source) { return kUnitBytes / int(size_of(source)); }

/// Returns a launch that keeps rows in registers if rows with a scale each are the only output, the matrix has no scales, and
/// rows are whole vectors that threads can keep; otherwise nothing. Each row has the fewest threads that can keep it.
std::optional<quantize_plan> whole_rows(quantize_plan plan) {
  auto const& layout = plan.layout;
  auto const vectors = ceil_div(layout.cols, std::int64_t(vector_elements(layout.source_type)));
  if (!layout.row_wise.is_wanted || layout.column_wise.is_wanted || !plan.reads_vectors || !plan.writes_rows ||
      is_8_bit_float(layout.source_type) || vectors > kQuantizeThreads * kRowVectors)
    return std::nullopt;
  plan.form = quantize_form::rows;
  plan.row_threads = std::max(kWarp, int(std::bit_ceil(std::uint64_t(ceil_div(vectors, std::int64_t(kRowVectors))))));
  return plan;
}

}  // namespace

std::vector<std::vector<quantize_plan>> plan_quantize(quantize_layout const& layout) {
  auto const tiles = quantization_of(layout, {}).tiles();
  if (tiles > kIntMax) refuse("the matrix's number of tiles", tiles, fmt::format("at most {} on a GPU", kIntMax));
  auto const are_multiples = [](std::int64_t address, std::int64_t pitch, std::int64_t of) {
    return address % of == 0 && pitch % of == 0;
  };
  auto const size = size_of(layout.source_type);
  auto const &row_wise = layout.row_wise, &column_wise = layout.column_wise;
  quantize_plan const plan{.layout = layout,
                           .reads_vectors = are_multiples(layout.source_alignment, layout.pitch * size, kUnitBytes) &&
                                            layout.cols * size % kUnitBytes == 0,
                           .writes_rows = are_multiples(row_wise.alignment, row_wise.pitch, vector_elements(layout.source_type)),
                           .writes_columns = are_multiples(column_wise.alignment, column_wise.pitch, kUnitBytes)};
  if (layout.blocks != scale_blocks::rows) return {{plan}};
  auto amax = plan;
  amax.form = quantize_form::amax;
  std::vector<std::vector<quantize_plan>> result{{amax, plan}};
  if (auto const by_rows = whole_rows(plan)) result.push_back({*by_rows});
  return result;
}

std::int64_t quantize_plan::blocks() const {
  return form == quantize_form::rows ? ceil_div(layout.rows, std::int64_t(kQuantizeThreads / row_threads)) : job().tiles();
}

quantize_job quantize_plan::job(quantize_call const& call, void* line_amax) const {
  quantize_job result{quantization_of(layout, call), reads_vectors, writes_rows, writes_columns, row_threads};
  result.line_amax = uses_line_amax() ? static_cast<std::int32_t*>(line_amax) : nullptr;
  return result;
}

plan_decisions<quantize_plan> quantize_plan::decisions() {
  auto const stores_vectors = [](quantize_plan const& plan) {
    return (!plan.layout.row_wise.is_wanted || plan.writes_rows) && (!plan.layout.column_wise.is_wanted || plan.writes_columns);
  };
  auto const of_tiles = scales_but(scale_blocks::rows);
  std::vector<std::string_view> not_in_rows{"columns alone", "rows and columns", "loads of elements", "stores of elements"};
  not_in_rows.insert(not_in_rows.end(), of_tiles.begin(), of_tiles.end());
  for (auto const& each : kElementTypes)
    if (is_8_bit_float(each.type)) not_in_rows.push_back(each.name);
  return joined(
      quantize_layout_decisions<quantize_plan>(),
      {{{"form", {"tiles", "amax", "rows"}, [](quantize_plan const& plan) { return std::size_t(plan.form); }},
        {"loads", {"loads of elements", "loads of vectors"}, [](quantize_plan const& plan) { return plan.reads_vectors; }},
        {"stores", {"stores of elements", "stores of vectors"}, stores_vectors}},
       {{"amax", of_tiles, "tiles find their own"}, {"rows", not_in_rows, "tiles and amax serve these"}}});
}

std::string_view name_of(scale_blocks blocks) { return kScaleBlocks[int(blocks)].text; }

std::string_view idea_of(quantize_plan const& plan) {
  switch (plan.form) {
    case quantize_form::amax:
      return "tiles raise the largest magnitudes of their rows and columns by atomics";
    case quantize_form::rows:
      return "threads keep a row in registers until they know its largest magnitude";
    default:
      return "rows change in registers, and columns come from a tile in shared memory";
  }
}

std::string describe(quantize_plan const& plan) {
  auto const& layout = plan.layout;
  auto const &rows = layout.row_wise, &columns = layout.column_wise;
  auto const width = vector_elements(layout.source_type);
  auto const launch =
      fmt::format("{} threads: {} of {}x{} elements, loads of {}", kQuantizeThreads, count_text(plan.job().tiles(), "block"),
                  kScaleTile, kScaleTile, plan.reads_vectors ? width : 1);
  if (plan.form == quantize_form::rows)
    return fmt::format("quantize {} to {}, {}, {} threads: {} of {}, loads of {}, stores of {} along rows",
                       name_of(layout.source_type), name_of(layout.type), name_of(layout.blocks), kQuantizeThreads,
                       count_text(plan.blocks(), "block"), count_text(kQuantizeThreads / plan.row_threads, "row"), width, width);
  if (plan.form == quantize_form::amax)
    return fmt::format("quantize {}, amax of{}{}{}, {}", name_of(layout.source_type), rows.is_wanted ? " rows" : "",
                       rows.is_wanted && columns.is_wanted ? " and" : "", columns.is_wanted ? " columns" : "", launch);
  auto const stores = [](quantize_output const& output, int elements, std::string_view along) {
    return output.is_wanted ? fmt::format(", stores of {} along {}", elements, along) : "";
  };
  return fmt::format("quantize {} to {}, {}, {}{}{}", name_of(layout.source_type), name_of(layout.type), name_of(layout.blocks),
                     launch, stores(rows, plan.writes_rows ? width : 1, "rows"),
                     stores(columns, plan.writes_columns ? kUnitBytes : 1, "columns"));
}

}  // namespace cornerturn
