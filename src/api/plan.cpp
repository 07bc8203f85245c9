#include "cornerturn/plan.hpp"

#include <fmt/format.h>

#include "api/memory.hpp"
#include "api/prepare.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "problem/fail.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

int place_given(plan_options const& options) {
  auto const missing = options.processor == processor::cpu ? "the processor is cpu" : gpu::why_unavailable();
  if (missing.empty()) return options.device == -1 ? gpu::current_device() : options.device;
  if (options.processor == processor::gpu) refuse("processor", "gpu", fmt::format("cpu or automatic here: {}", missing));
  if (options.device != -1) refuse("device", options.device, fmt::format("-1 here: {}", missing));
  return kHost;
}

Plan planned(problem const& given, plan_options const& options) {
  auto const aligned = alignment_given(options);
  int const place = place_given(options);
  return Plan(prepare(given, place == kHost ? alignment{1, 1} : aligned, place, options.effort));
}

}  // namespace

Plan::Plan(std::shared_ptr<prepared_plan const> prepared) : prepared_(std::move(prepared)) {}

void Plan::run(void const* source, void* destination, void* stream) const {
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, source, destination);
  move(*prepared_, source, destination, stream);
}

std::string Plan::describe() const {
  auto const& plan = *prepared_;
  if (plan.is_empty()) return "nothing to move";
  if (plan.on_cpu) return fmt::format("{} on the CPU: {}", to_string(plan.simplest), cornerturn::describe(*plan.on_cpu));
  auto const expected = plan.chosen->seconds > 0 ? fmt::format(", {:.4g} us expected", 1e6 * plan.chosen->seconds) : "";
  return fmt::format("{} on device {} ({}), source aligned to {} bytes and destination to {}: {}{}; {}", to_string(plan.simplest),
                     plan.device, plan.device_name, plan.aligned.source, plan.aligned.destination,
                     cornerturn::describe(*plan.chosen), expected, plan.why);
}

Plan plan(index_list shape, index_list source_strides, index_list destination_strides, std::int64_t element_size,
          plan_options const& options) {
  return planned(strided(shape, source_strides, destination_strides, element_size), options);
}

Plan plan_permute(index_list shape, index_list axes, std::int64_t element_size, plan_options const& options) {
  return planned(permutation(shape, {}, axes, element_size), options);
}

}  // namespace cornerturn
