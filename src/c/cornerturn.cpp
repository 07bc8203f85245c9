#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "c/call.hpp"
#include "cornerturn/cache.hpp"
#include "cornerturn/cornerturn.h"
#include "cornerturn/inplace.hpp"
#include "cornerturn/log.hpp"
#include "cornerturn/permute.hpp"
#include "cornerturn/plan.hpp"
#include "cornerturn/threads.hpp"
#include "cornerturn/transpose.hpp"
#include "cornerturn/tune.hpp"

struct cornerturn_plan {
  cornerturn::permutation_plan plan;
};

struct cornerturn_inplace_plan {
  cornerturn::inplace_plan plan;
};

namespace cornerturn {
namespace {

plan_options options_of(cornerturn_options const* given) {
  if (!given) return {};
  refuse_size(*given, "cornerturn_options");
  return {.processor = processor_of(given->processor),
          .effort = enum_of("options.effort", given->effort, planning_effort::measure),
          .source_alignment = given->source_alignment,
          .destination_alignment = given->destination_alignment,
          .device = given->device,
          .threads = given->threads};
}

inplace_plan_options options_of(cornerturn_inplace_options const* given) {
  if (!given) return {};
  refuse_size(*given, "cornerturn_inplace_options");
  return {.processor = processor_of(given->processor),
          .alignment = given->alignment,
          .device = given->device,
          .threads = given->threads,
          .workspace = given->workspace};
}

element_operation operation_of(cornerturn_operation const& given, std::int32_t rank) {
  refuse_size(given, "cornerturn_operation", "operation");
  return {.source = enum_of("operation.source_type", given.source_type, kLastElementType),
          .destination = enum_of("operation.destination_type", given.destination_type, kLastElementType),
          .alpha = {given.alpha[0], given.alpha[1]},
          .beta = {given.beta[0], given.beta[1]},
          .conjugate = given.conjugate != 0,
          .saturate = given.saturate != 0,
          .source_swapped = given.source_swapped != 0,
          .destination_swapped = given.destination_swapped != 0,
          .scale = given.scale,
          .bias = given.bias,
          .factor_strides = strides_or_dense(given.factor_strides, rank)};
}

}  // namespace

elements elements_of(cornerturn_elements const& given, std::int32_t rank) {
  if (given.operation) return operation_of(*given.operation, rank);
  if (given.bytes < 1) refuse("elements.bytes", given.bytes, "1 or more without an operation");
  return given.bytes;
}

}  // namespace cornerturn

using namespace cornerturn;

cornerturn_status cornerturn_plan_create(cornerturn_plan** made, std::int32_t rank, std::int64_t const* shape,
                                         std::int64_t const* source_strides, std::int64_t const* destination_strides,
                                         cornerturn_elements given, cornerturn_options const* options) {
  return guarded([&] {
    expect_address("plan", made);
    *made = nullptr;
    *made = new cornerturn_plan{plan(list_of("shape", shape, rank), list_of("source_strides", source_strides, rank),
                                     list_of("destination_strides", destination_strides, rank), elements_of(given, rank),
                                     options_of(options))};
  });
}

cornerturn_status cornerturn_plan_permute(cornerturn_plan** made, std::int32_t rank, std::int64_t const* shape,
                                          std::int64_t const* source_strides, std::int64_t const* axes,
                                          std::int64_t const* destination_strides, cornerturn_elements given,
                                          cornerturn_options const* options) {
  return guarded([&] {
    expect_address("plan", made);
    *made = nullptr;
    auto with_strides = options_of(options);
    with_strides.source_strides = strides_or_dense(source_strides, rank);
    with_strides.destination_strides = strides_or_dense(destination_strides, rank);
    *made = new cornerturn_plan{
        plan_permute(list_of("shape", shape, rank), list_of("axes", axes, rank), elements_of(given, rank), with_strides)};
  });
}

cornerturn_status cornerturn_plan_run(cornerturn_plan const* planned, void const* source, void* destination, void* stream) {
  return guarded([&] {
    expect_address("plan", planned);
    planned->plan.run(source, destination, stream);
  });
}

cornerturn_status cornerturn_plan_describe(cornerturn_plan const* planned, char* buffer, std::size_t capacity,
                                           std::size_t* needed) {
  return guarded([&] {
    expect_address("plan", planned);
    if (capacity > 0) expect_address("buffer", buffer);
    auto const text = planned->plan.describe();
    if (needed) *needed = text.size() + 1;
    if (capacity > 0) {
      auto const fits = std::min(text.size(), capacity - 1);
      std::memcpy(buffer, text.data(), fits);
      buffer[fits] = 0;
    }
    if (buffer && capacity <= text.size())
      return failed(CORNERTURN_BUFFER_TOO_SMALL,
                    fmt::format("capacity is {}; it must be {} or more", capacity, text.size() + 1).c_str());
    return CORNERTURN_OK;
  });
}

cornerturn_status cornerturn_plan_run_on(cornerturn_plan const* planned, cornerturn_workers const* workers, void const* source,
                                         void* destination) {
  return guarded([&] {
    expect_address("plan", planned);
    expect_address("workers", workers);
    worker_threads on{.parallel_for = {}, .count = workers->count};
    if (workers->parallel_for)
      on.parallel_for = [=](int count, std::function<void(int)> const& part) {
        auto const call = [](void* state, std::int32_t index) { (*static_cast<std::function<void(int)> const*>(state))(index); };
        workers->parallel_for(workers->context, count, call, const_cast<std::function<void(int)>*>(&part));
      };
    planned->plan.run_on(on, source, destination);
  });
}

void cornerturn_plan_destroy(cornerturn_plan* planned) { delete planned; }

cornerturn_status cornerturn_strided_copy(void const* source, std::int64_t const* source_strides, void* destination,
                                          std::int64_t const* destination_strides, std::int32_t rank, std::int64_t const* shape,
                                          cornerturn_elements given, void* stream, cornerturn_copy_options const* options) {
  return guarded([&] {
    strided_copy(source, list_of("source_strides", source_strides, rank), destination,
                 list_of("destination_strides", destination_strides, rank), list_of("shape", shape, rank),
                 elements_of(given, rank), options_of<copy_options>(options, stream));
  });
}

cornerturn_status cornerturn_permute(void const* source, void* destination, std::int32_t rank, std::int64_t const* shape,
                                     std::int64_t const* axes, cornerturn_elements given, void* stream,
                                     cornerturn_copy_options const* options) {
  return guarded([&] {
    permute(source, destination, list_of("shape", shape, rank), list_of("axes", axes, rank), elements_of(given, rank),
            options_of<permute_options>(options, stream));
  });
}

cornerturn_status cornerturn_permute_batched(void const* const* sources, std::int64_t count, void* destination,
                                             std::int64_t batch_stride, std::int32_t rank, std::int64_t const* shape,
                                             std::int64_t const* source_strides, std::int64_t const* axes,
                                             std::int64_t const* destination_strides, cornerturn_elements given, void* stream,
                                             cornerturn_copy_options const* options) {
  return guarded([&] {
    if (count < 0) refuse("count", count, "0 or more");
    if (count > 0) expect_address("sources", sources);
    auto with_strides = options_of<permute_options>(options, stream);
    with_strides.source_strides = strides_or_dense(source_strides, rank);
    with_strides.destination_strides = strides_or_dense(destination_strides, rank);
    permute_batched({sources, std::size_t(count)}, destination, batch_stride, list_of("shape", shape, rank),
                    list_of("axes", axes, rank), elements_of(given, rank), with_strides);
  });
}

cornerturn_status cornerturn_permute_inplace(void* data, std::int32_t rank, std::int64_t const* shape, std::int64_t const* axes,
                                             std::int64_t element_size, void* stream, cornerturn_copy_options const* options) {
  return guarded([&] {
    permute_inplace(data, list_of("shape", shape, rank), list_of("axes", axes, rank), element_size,
                    options_of<inplace_options>(options, stream));
  });
}

cornerturn_status cornerturn_inplace_plan_create(cornerturn_inplace_plan** made, std::int32_t rank, std::int64_t const* shape,
                                                 std::int64_t const* axes, std::int64_t element_size,
                                                 cornerturn_inplace_options const* options, std::int64_t* workspace_bytes) {
  return guarded([&] {
    expect_address("plan", made);
    *made = nullptr;
    *made = new cornerturn_inplace_plan{
        plan_permute_inplace(list_of("shape", shape, rank), list_of("axes", axes, rank), element_size, options_of(options))};
    if (workspace_bytes) *workspace_bytes = (*made)->plan.workspace_bytes();
  });
}

cornerturn_status cornerturn_inplace_plan_run(cornerturn_inplace_plan const* planned, void* data, void* stream, void* workspace) {
  return guarded([&] {
    expect_address("plan", planned);
    planned->plan.run(data, stream, workspace);
  });
}

void cornerturn_inplace_plan_destroy(cornerturn_inplace_plan* planned) { delete planned; }

cornerturn_status cornerturn_transpose(void const* source, void* destination, std::int64_t rows, std::int64_t cols,
                                       std::int64_t element_size, void* stream, cornerturn_copy_options const* options) {
  return guarded(
      [&] { transpose(source, destination, rows, cols, element_size, options_of<transpose_options>(options, stream)); });
}

cornerturn_status cornerturn_tune_permute(std::int32_t rank, std::int64_t const* shape, std::int64_t const* axes,
                                          cornerturn_elements given, cornerturn_options const* options, double* seconds,
                                          double* estimated_seconds) {
  return guarded([&] {
    auto const found =
        tune_permute(list_of("shape", shape, rank), list_of("axes", axes, rank), elements_of(given, rank), options_of(options));
    if (seconds) *seconds = found.seconds;
    if (estimated_seconds) *estimated_seconds = found.estimated_seconds;
  });
}

cornerturn_status cornerturn_cache_info(cornerturn_cache_counters* counters) {
  return guarded([&] {
    expect_address("counters", counters);
    auto const now = cache_info();
    *counters = {now.hits, now.misses, now.entries, now.capacity};
  });
}

cornerturn_status cornerturn_cache_clear(void) {
  return guarded([] { cache_clear(); });
}

cornerturn_status cornerturn_set_log_hook(void (*hook)(char const* message, void* context), void* context) {
  return guarded([&] {
    if (hook)
      set_log_hook([=](std::string_view message) { hook(std::string(message).c_str(), context); });
    else
      set_log_hook({});
  });
}

std::int32_t cornerturn_num_threads(void) { return num_threads(); }

cornerturn_status cornerturn_set_num_threads(std::int32_t threads) {
  return guarded([&] { set_num_threads(threads); });
}

char const* cornerturn_version(void) { return CORNERTURN_VERSION; }
