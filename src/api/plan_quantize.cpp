#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "api/explain_plan.hpp"
#include "api/prepare.hpp"
#include "api/quantize.hpp"
#include "base/refuse.hpp"
#include "cornerturn/plan.hpp"
#include "explain/buffers.hpp"
#include "explain/instructions.hpp"
#include "kernel/quantize/plan.hpp"
#include "plan/choose.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t(1) << 30;

/// Checks a case, and plans it for arrays at addresses without memory.
std::vector<quantize_plan> plan_of(quantized_case const& given) {
  expect_quantizable(given.source, given.type);
  if (given.rows < 1 || given.rows > kMostExtent) refuse("rows", given.rows, fmt::format("from 1 to {}", kMostExtent));
  if (given.cols < 1 || given.cols > kMostExtent) refuse("cols", given.cols, fmt::format("from 1 to {}", kMostExtent));
  if (!given.row_wise && !given.column_wise) refuse("column_wise", "false", "true without row_wise, so that there is an output");
  auto* const values = reinterpret_cast<void*>(buffer_address(kBufferAlign));
  auto* const scales = static_cast<float*>(values);
  // The outputs do not overlap: the second starts after the first.
  auto const behind = round_up(given.rows * given.cols, kBufferAlign);
  auto const output = [&](bool is_wanted, std::int64_t cols, std::int64_t at) -> quantized_matrix {
    if (!is_wanted) return {};
    return {static_cast<std::byte*>(values) + at, cols, scales + at,
            given.blocks == scale_blocks::rows ? 1 : ceil_div(cols, kScaleTile), 1};
  };
  bool const has_scales = is_8_bit_float(given.source);
  quantization const all{.source_type = given.source,
                         .type = given.type,
                         .rows = given.rows,
                         .cols = given.cols,
                         .pitch = given.cols,
                         .blocks = given.blocks,
                         .source_scales = has_scales ? scales : nullptr,
                         .source_scale_row_stride = has_scales ? ceil_div(given.cols, kScaleTile) : 0,
                         .source_scale_block_stride = 1,
                         .row_wise = output(given.row_wise, given.cols, 0),
                         .column_wise = output(given.column_wise, given.rows, behind),
                         .amax = scales,
                         .line_amax = static_cast<std::int32_t*>(values)};
  return plan_quantize(all, values);
}

/// The texts that say(launch) returns, with "; " between them.
std::string joined(std::vector<quantize_plan> const& launches, auto const& say) {
  std::string result;
  for (auto const& each : launches) result += (result.empty() ? "" : "; ") + std::string(say(each));
  return result;
}

quantize_candidate estimated(std::vector<quantize_plan> const& launches, estimated_gpu on) {
  auto const& gpu = estimated_model(on);
  double seconds = 0;
  for (auto const& each : launches) seconds += expected_seconds(each, gpu);
  auto const& job = launches.back().job;
  auto const elements = job.rows * job.cols, bytes = elements * size_of(job.source_type),
             written = elements * ((job.row_wise.values != nullptr) + (job.column_wise.values != nullptr));
  return {{joined(launches, [](quantize_plan const& each) { return describe(each); }), seconds,
           copy_seconds((bytes + written) / 2, gpu) / seconds, gpu.name},
          int(launches.size()),
          bytes * std::int64_t(launches.size()),
          written};
}

}  // namespace

quantize_candidate plan_quantize(quantized_case const& given, estimated_gpu gpu) { return estimated(plan_of(given), gpu); }

explanation explain_quantize(quantized_case const& given) {
  auto const launches = plan_of(given);
  auto const estimate = estimated(launches, estimated_gpu::here);
  explanation result{.rung = std::string(name_of(launches.back())),
                     .idea = joined(launches, [](quantize_plan const& each) { return idea_of(each); })};
  instruction_counts counts(kBufferOrigin);
  for (auto const& each : launches)
    result.threads = host::record(each, kBufferOrigin, kBufferOrigin, [&](recording const& block, std::int64_t alike) {
      counts.add(block, alike);
      result.blocks += alike;
      ++result.classes;
    });
  result.plan = estimate.kernel;
  result.problem = fmt::format("{} x {}", given.rows, given.cols);
  result.element_size = size_of(given.source);
  result.source_align = result.destination_align = kBufferAlign;
  result.instructions = counts.all();
  result.findings = problems_of(result.instructions, "the kernel has no other tile");
  result.seconds = estimate.seconds, result.predicted = estimate.ratio, result.gpu = estimate.model;
  return result;
}

}  // namespace cornerturn
