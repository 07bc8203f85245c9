#include "cornerturn/transpose.hpp"

#include <fmt/format.h>

#include "api/kernels.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/host/host.hpp"
#include "plan/plan.hpp"
#include "problem/canonical.hpp"
#include "problem/fail.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// A pitch or batch stride as the caller meant it: 0 is `dense`, and nothing shorter makes sense.
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

job job_of(std::int64_t rows, std::int64_t cols, transpose_options const& options) {
  job shape{.rows = rows, .cols = cols, .batch = options.batch};
  shape.source_pitch = stride_or_dense("source_pitch", options.source_pitch, cols);
  shape.destination_pitch = stride_or_dense("destination_pitch", options.destination_pitch, rows);
  shape.source_batch_stride =
      stride_or_dense("source_batch_stride", options.source_batch_stride, matrix_elements("source", rows, shape.source_pitch));
  shape.destination_batch_stride = stride_or_dense("destination_batch_stride", options.destination_batch_stride,
                                                   matrix_elements("destination", cols, shape.destination_pitch));
  return shape;
}

enum class engine { cpu, gpu, host };

engine choose_engine(transpose_options const& options, void const* source, void const* destination) {
  bool const device_source = gpu::is_device_memory(source), device_destination = gpu::is_device_memory(destination);
  if (device_source != device_destination)
    refuse("destination", device_destination ? "device memory" : "host memory",
           device_source ? "device memory, as the source is" : "host memory, as the source is");
  if (options.processor == processor::gpu && !device_source)
    refuse("source", "host memory", "device memory where processor is gpu");
  if (options.processor == processor::cpu && device_source)
    refuse("source", "device memory", "host memory where processor is cpu");
  if (device_source) return engine::gpu;
  return options.kernel.empty() ? engine::cpu : engine::host;
}

}  // namespace

void transpose(void const* source, void* destination, std::int64_t rows, std::int64_t cols, std::int64_t element_size,
               transpose_options const& options) {
  if (rows < 0) refuse("rows", rows, "0 or more");
  if (cols < 0) refuse("cols", cols, "0 or more");
  if (options.batch < 0) refuse("batch", options.batch, "0 or more");
  job const shape = job_of(rows, cols, options);
  problem const given{.modes = {{shape.batch, shape.source_batch_stride, shape.destination_batch_stride},
                                {rows, shape.source_pitch, 1},
                                {cols, 1, shape.destination_pitch}},
                      .element_size = element_size};
  validate(given);
  refuse_overlap(given, source, destination);
  std::optional<rung> forced;
  if (!options.kernel.empty()) forced = kernel_named(options.kernel);
  if (forced && info_of(*forced).straight)
    refuse("kernel", options.kernel, fmt::format("a transposing one: {} moves rows straight", options.kernel));
  if (rows == 0 || cols == 0 || shape.batch == 0) return;

  auto const where = choose_engine(options, source, destination);
  auto const simplest = canonical(given);
  if (where == engine::cpu) return cpu::permute(simplest, source, destination);

  auto const aligned = alignment_of(source, destination);
  std::optional<rung_plan> chosen;
  if (!forced)
    chosen = plan_problem(simplest, aligned);
  else if (simplest.element_size == element_size)
    chosen = plan_rung(*forced, shape, int(element_size), aligned);
  if (!chosen) refuse("element_size", element_size, "1, 2, 4, 8 or 16 bytes for a GPU kernel");
  if (where == engine::gpu)
    gpu::run(*chosen, source, destination, options.stream);
  else
    host::run(*chosen, source, destination);
}

}  // namespace cornerturn
