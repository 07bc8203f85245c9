#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "api/explain_plan.hpp"
#include "api/prepare.hpp"
#include "api/quantize.hpp"
#include "base/refuse.hpp"
#include "base/round.hpp"
#include "cornerturn/plan.hpp"
#include "cornerturn/tune.hpp"
#include "element/small_float.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/stopwatch.hpp"
#include "explain/buffers.hpp"
#include "plan/choose.hpp"
#include "plan/quantize_candidates.hpp"
#include "problem/describe.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t(1) << 30;

/// Checks a case. Returns its layout, in which all arrays are aligned.
quantize_layout layout_of(quantized_case const& given) {
  expect_quantizable(given.source, given.type);
  if (given.rows < 1 || given.rows > kMostExtent) refuse("rows", given.rows, fmt::format("from 1 to {}", kMostExtent));
  if (given.cols < 1 || given.cols > kMostExtent) refuse("cols", given.cols, fmt::format("from 1 to {}", kMostExtent));
  if (!given.row_wise && !given.column_wise) refuse("column_wise", "false", "true without row_wise, so that there is an output");
  auto const output = [&](bool is_wanted, std::int64_t cols) -> quantize_output {
    if (!is_wanted) return {};
    return {.is_wanted = true,
            .pitch = cols,
            .scale_row_stride = given.blocks == scale_blocks::rows ? 1 : ceil_div(cols, kScaleTile),
            .scale_block_stride = 1};
  };
  bool const has_scales = is_8_bit_float(given.source);
  return {.source_type = given.source,
          .type = given.type,
          .rows = given.rows,
          .cols = given.cols,
          .pitch = given.cols,
          .blocks = given.blocks,
          .recipe = {.largest = element::largest_number(given.type)},
          .source_scale_row_stride = has_scales ? ceil_div(given.cols, kScaleTile) : 0,
          .source_scale_block_stride = has_scales,
          .row_wise = output(given.row_wise, given.cols),
          .column_wise = output(given.column_wise, given.rows),
          .finds_amax = true};
}

/// The arrays of a case one after another, from an address on, where no memory need exist.
struct placed_case {
  quantize_call call;
  std::int64_t bytes = 0;  ///< of all arrays

  placed_case(quantize_layout const& layout, std::uintptr_t address) {
    auto const take = [&](std::int64_t size) {
      auto const at = std::exchange(bytes, bytes + round_up(size, kBufferAlign));
      return reinterpret_cast<void*>(address + std::uintptr_t(at));
    };
    auto const take_floats = [&](std::int64_t count) { return static_cast<float*>(take(count * std::int64_t(sizeof(float)))); };
    auto const elements = layout.rows * layout.cols;
    call.source = take(elements * size_of(layout.source_type));
    if (is_8_bit_float(layout.source_type)) call.source_scales = take_floats(layout.rows * layout.source_scale_row_stride);
    call.row_values = take(elements), call.row_scales = take_floats(layout.rows * layout.row_wise.scale_row_stride);
    call.column_values = take(elements), call.column_scales = take_floats(layout.cols * layout.column_wise.scale_row_stride);
    call.amax = take_floats(1);
  }
};

/// A stopwatch with arrays for dense matrices of a layout.
stopwatch stopwatch_for(quantize_layout const& layout, int device) {
  auto const placed = [layout, held = std::make_shared<quantize_call>()](void* memory) -> plan_memory {
    *held = placed_case(layout, reinterpret_cast<std::uintptr_t>(memory)).call;
    return {.destination = held->amax, .call = held.get()};
  };
  return gpu::make_stopwatch(device, placed_case(layout, 0).bytes, placed);
}

quantize_candidate told(candidate const& each, quantize_layout const& layout, gpu_model const& gpu) {
  auto const launches =
      std::ranges::count_if(each.steps, [](step const& one) { return std::holds_alternative<quantize_plan>(one.kernel); });
  auto const elements = layout.rows * layout.cols, read = elements * size_of(layout.source_type),
             written = elements * (layout.row_wise.is_wanted + layout.column_wise.is_wanted);
  return {{describe(each), each.seconds, copy_seconds((read + written) / 2, gpu) / each.seconds, gpu.name, each.why},
          int(launches),
          read * launches,
          written};
}

/// The candidate that `quantize` runs, or would run on an H200.
candidate chosen_for(quantize_layout const& layout, estimated_gpu on) {
  if (on == estimated_gpu::h200 || !gpu::why_unavailable().empty())
    return quantize_candidates_of(layout, estimated_model(on)).front();
  return prepare_quantize(layout, {gpu::current_device(), {}, 0})->chosen;
}

}  // namespace

prepared_plan unplanned_for(quantize_layout const& layout, where const& at) {
  auto const values = values_of(layout);
  auto result = unplanned(values, at);
  result.simplest = values;  // described by rows and columns, which the canonical form might fuse
  return result;
}

/// Names every member, so that the compiler refuses a member that the key lacks.
request_key key_of(quantize_layout const& layout, where const& at) {
  auto const& [source_type, type, rows, cols, pitch, blocks, recipe, reads_scale, source_alignment, source_scale_row_stride,
               source_scale_block_stride, row_wise, column_wise, finds_amax] = layout;
  auto const& [largest, least, power_of_two] = recipe;
  request_key key(request_key::call::quantize);
  for (std::int64_t const each :
       {std::int64_t(source_type), std::int64_t(type), rows, cols, pitch, std::int64_t(blocks),
        std::int64_t(std::bit_cast<std::int32_t>(largest)), std::int64_t(std::bit_cast<std::int32_t>(least)),
        std::int64_t(power_of_two), std::int64_t(reads_scale), std::int64_t(source_alignment), source_scale_row_stride,
        source_scale_block_stride, std::int64_t(finds_amax)})
    key.add(each);
  for (auto const& [is_wanted, alignment, output_pitch, scale_row_stride, scale_block_stride] : {row_wise, column_wise})
    for (std::int64_t const each :
         {std::int64_t(is_wanted), std::int64_t(alignment), output_pitch, scale_row_stride, scale_block_stride})
      key.add(each);
  key.add(at);
  return key;
}

selection selection_of(prepared_plan const& plan, quantize_layout const& layout) {
  auto const all = [&] { return quantize_candidates_of(layout, gpu::model_of(plan.device)); };
  return {.first = [=] { return all().front(); },
          .candidates = all,
          .key = choice_key(plan.device_name, to_string(plan.simplest), plan.aligned) + ", " + scales_text(layout),
          .start = [&] { return stopwatch_for(layout, plan.device); }};
}

std::shared_ptr<prepared_plan const> prepare_quantize(quantize_layout const& layout, where const& at) {
  auto result = unplanned_for(layout, at);
  if (at.place == kHost)
    result.chosen = cpu_quantize_candidate_of(layout, at.threads), result.chosen.why = "the CPU has one way";
  else
    result.chosen = choose(selection_of(result, layout), planning_effort::estimate);
  return std::make_shared<prepared_plan const>(std::move(result));
}

std::vector<quantize_candidate> quantize_candidates(quantized_case const& given, estimated_gpu on) {
  auto const layout = layout_of(given);
  auto const& gpu = estimated_model(on);
  std::vector<quantize_candidate> result;
  for (auto const& each : quantize_candidates_of(layout, gpu)) result.push_back(told(each, layout, gpu));
  return result;
}

quantize_candidate plan_quantize(quantized_case const& given, estimated_gpu on) {
  auto const layout = layout_of(given);
  return told(chosen_for(layout, on), layout, estimated_model(on));
}

tuned tune_quantize(quantized_case const& given, plan_options const& options) {
  auto const layout = layout_of(given);
  auto const at = where_given(options);
  if (at.place == kHost) refuse("processor", "the CPU", "a GPU, because the CPU has one way to quantise");
  auto const plan = unplanned_for(layout, at);
  auto const [chosen, figures] = measure_choice(selection_of(plan, layout));
  return {describe(chosen), figures.seconds, figures.first_seconds};
}

explanation explain_quantize(quantized_case const& given) {
  auto const layout = layout_of(given);
  auto const& gpu = estimated_model(estimated_gpu::here);
  auto const chosen = chosen_for(layout, estimated_gpu::here);
  auto placed = placed_case(layout, buffer_address(kBufferAlign));
  auto result =
      explain_launches(chosen, {.workspace = reinterpret_cast<void*>(buffer_address(kBufferAlign)), .call = &placed.call}, gpu,
                       "the kernel has no other tile");
  result.problem = describe(values_of(layout));
  result.element_size = size_of(given.source);
  result.source_align = result.destination_align = kBufferAlign;
  result.predicted = told(chosen, layout, gpu).ratio;
  return result;
}

}  // namespace cornerturn
