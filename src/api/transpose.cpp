#include "cornerturn/transpose.hpp"

#include <fmt/format.h>

#include "api/ladder.hpp"
#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "api/room.hpp"
#include "base/log_plan.hpp"
#include "base/refuse.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/host/host.hpp"
#include "kernel/rung/plan.hpp"
#include "plan/candidate.hpp"
#include "problem/canonical.hpp"
#include "problem/describe.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The given pitch or batch stride, or `dense` for 0. Throws `error` for a shorter one.
std::int64_t stride_or_dense(std::string_view name, std::int64_t given, std::int64_t dense) {
  if (given == 0) return dense;
  if (given < dense) refuse(name, given, fmt::format("0 (dense) or at least {}", dense));
  return given;
}

std::int64_t matrix_elements(std::string_view name, std::int64_t rows, std::int64_t pitch) {
  std::int64_t elements;
  if (__builtin_mul_overflow(rows, pitch, &elements))
    refuse(name, fmt::format("{} rows of {} elements", rows, pitch), "at most 2^63 - 1 elements");
  return elements;
}

job job_given(std::int64_t rows, std::int64_t cols, transpose_options const& options) {
  if (rows < 0) refuse("rows", rows, "0 or more");
  if (cols < 0) refuse("cols", cols, "0 or more");
  if (options.batch < 0) refuse("batch", options.batch, "0 or more");
  job shape{.rows = rows, .cols = cols, .batch = options.batch};
  shape.source_pitch = stride_or_dense("source_pitch", options.source_pitch, cols);
  shape.destination_pitch = stride_or_dense("destination_pitch", options.destination_pitch, rows);
  shape.source_batch_stride =
      stride_or_dense("source_batch_stride", options.source_batch_stride, matrix_elements("source", rows, shape.source_pitch));
  shape.destination_batch_stride = stride_or_dense("destination_batch_stride", options.destination_batch_stride,
                                                   matrix_elements("destination", cols, shape.destination_pitch));
  return shape;
}

problem problem_of(job const& shape, std::int64_t element_size) {
  problem const result{.modes = {{shape.batch, shape.source_batch_stride, shape.destination_batch_stride},
                                 {shape.rows, shape.source_pitch, 1},
                                 {shape.cols, 1, shape.destination_pitch}},
                       .element_size = element_size};
  validate(result);
  return result;
}

/// Transposes by the rung that the options name.
void transpose_by(rung kernel, job const& shape, std::int64_t element_size, void const* source, void* destination,
                  transpose_options const& options) {
  auto const given = problem_of(shape, element_size);
  refuse_overlap(given, source, destination);
  if (info_of(kernel).is_copy)
    refuse("kernel", options.kernel, fmt::format("a transposing one: {} moves rows straight", options.kernel));
  auto const read = source_range(given), written = destination_range(given);
  if (written == byte_range{}) return;

  auto const [place, waits, reported] = placement_of(source, destination, places_in(options));
  refuse_unreadable(place, reported, {source, read}, {destination, written});
  if (place == kHost && options.processor == processor_kind::gpu)
    refuse("source", "host memory", "device memory where processor is gpu and a kernel is named");
  if (shared_element_size(canonical(given)) != element_size)
    refuse("element_size", element_size, "1, 2, 4, 8 or 16 bytes for a GPU kernel");
  auto const plan = single_step(plan_rung(kernel, shape, int(element_size), alignment_of(source, destination)));
  plan_memory const memory{.source = source, .destination = destination};
  log_plan([&] { return fmt::format("{}: {}; named by the caller", describe(given), describe(plan)); });
  if (waits) gpu::synchronize(options.stream);
  if (place == kHost) return host::run(plan.steps, memory);
  gpu::on_device const current(place);
  gpu::run(plan.steps, memory, options.stream);
}

}  // namespace

void detail::expect_room_to_transpose(range_sizes sizes, std::int64_t rows, std::int64_t cols, transpose_options const& options) {
  expect_room(problem_of(job_given(rows, cols, options), 1), sizes);
}

void transpose(void const* source, void* destination, std::int64_t rows, std::int64_t cols, std::int64_t element_size,
               transpose_options const& options) {
  job const shape = job_given(rows, cols, options);
  if (!options.kernel.empty())
    return transpose_by(kernel_named(options.kernel), shape, element_size, source, destination, options);

  request_key key(request_key::call::transpose);
  for (std::int64_t const each : {element_size, rows, cols, shape.batch, shape.source_pitch, shape.destination_pitch,
                                  shape.source_batch_stride, shape.destination_batch_stride})
    key.add(each);
  run_one_shot(key, source, destination, places_in(options), [&] { return problem_of(shape, element_size); });
}

}  // namespace cornerturn
