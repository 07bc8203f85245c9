#include "kernel/quantize/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/refuse.hpp"
#include "cornerturn/text.hpp"
#include "kernel/int_limit.hpp"

namespace cornerturn {
namespace {

/// Elements of a vector of the source. Each becomes one byte.
int vector_elements(element_type source) { return kUnitBytes / int(size_of(source)); }

/// Returns a launch that keeps rows in registers if rows with a scale each are the only output, the matrix has no scales, and
/// rows are whole vectors that threads can keep; otherwise nothing. Each row has the fewest threads that can keep it.
std::optional<quantize_plan> whole_rows(quantize_job job) {
  auto const vectors = ceil_div(job.cols, std::int64_t(vector_elements(job.source_type)));
  if (job.column_wise.values || !job.reads_vectors || !job.writes_rows || is_8_bit_float(job.source_type) ||
      vectors > kQuantizeThreads * kRowVectors)
    return std::nullopt;
  job.row_threads = std::max(kWarp, int(std::bit_ceil(std::uint64_t(ceil_div(vectors, std::int64_t(kRowVectors))))));
  return quantize_plan{job, quantize_form::rows};
}

}  // namespace

std::vector<quantize_plan> plan_quantize(quantization const& given, void const* source) {
  auto const is_aligned = [](void const* pointer, std::int64_t bytes, std::int64_t to) {
    return reinterpret_cast<std::uintptr_t>(pointer) % to == 0 && bytes % to == 0;
  };
  auto const tiles = given.tiles();
  if (tiles > kIntMax) refuse("the matrix's number of tiles", tiles, fmt::format("at most {} on a GPU", kIntMax));
  auto const size = size_of(given.source_type);
  quantize_job const job{given, is_aligned(source, given.pitch * size, kUnitBytes) && given.cols * size % kUnitBytes == 0,
                         is_aligned(given.row_wise.values, given.row_wise.pitch, vector_elements(given.source_type)),
                         is_aligned(given.column_wise.values, given.column_wise.pitch, kUnitBytes)};
  if (given.blocks != scale_blocks::rows) return {{job}};
  if (auto const by_rows = whole_rows(job)) return {*by_rows};
  return {{job, quantize_form::amax}, {job}};
}

std::int64_t quantize_plan::blocks() const {
  return form == quantize_form::rows ? ceil_div(job.rows, std::int64_t(kQuantizeThreads / job.row_threads)) : job.tiles();
}

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
  auto const& job = plan.job;
  constexpr std::string_view kScales[] = {"a given scale", "scales of rows", "scales of 1x128", "scales of 128x128"};
  auto const width = vector_elements(job.source_type);
  auto const launch = fmt::format("{} threads: {} of {}x{} elements, loads of {}", kQuantizeThreads,
                                  count_text(job.tiles(), "block"), kScaleTile, kScaleTile, job.reads_vectors ? width : 1);
  if (plan.form == quantize_form::rows)
    return fmt::format("quantize {} to {}, {}, {} threads: {} of {}, loads of {}, stores of {} along rows",
                       name_of(job.source_type), name_of(job.type), kScales[int(job.blocks)], kQuantizeThreads,
                       count_text(plan.blocks(), "block"), count_text(kQuantizeThreads / job.row_threads, "row"), width, width);
  if (plan.form == quantize_form::amax) {
    auto const rows = job.row_wise.values ? " rows" : "", columns = job.column_wise.values ? " columns" : "";
    return fmt::format("quantize {}, amax of{}{}{}, {}", name_of(job.source_type), rows, *rows && *columns ? " and" : "", columns,
                       launch);
  }
  auto const stores = [](quantized_matrix const& output, int elements, std::string_view along) {
    return output.values ? fmt::format(", stores of {} along {}", elements, along) : "";
  };
  return fmt::format("quantize {} to {}, {}, {}{}{}", name_of(job.source_type), name_of(job.type), kScales[int(job.blocks)],
                     launch, stores(job.row_wise, job.writes_rows ? width : 1, "rows"),
                     stores(job.column_wise, job.writes_columns ? kUnitBytes : 1, "columns"));
}

}  // namespace cornerturn
