#include "api/prepare.hpp"

#include <algorithm>
#include <bit>

#include "api/choice.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/stopwatch.hpp"
#include "problem/canonical.hpp"
#include "problem/fail.hpp"

namespace cornerturn {
namespace {

/// Accesses have at most so many bytes.
constexpr int kMostAlignment = 16;

int power_of_two(std::string_view name, int bytes) {
  if (bytes < 1 || !std::has_single_bit(unsigned(bytes))) refuse(name, bytes, "a power of two");
  return std::min(bytes, kMostAlignment);
}

}  // namespace

alignment alignment_given(plan_options const& options) {
  return {power_of_two("source_alignment", options.source_alignment),
          power_of_two("destination_alignment", options.destination_alignment)};
}

std::shared_ptr<prepared_plan const> prepare(problem const& given, alignment const& aligned, int place, enum effort effort) {
  prepared_plan result{.simplest = canonical(given),
                       .read = source_range(given),
                       .written = destination_range(given),
                       .aligned = aligned,
                       .device = place};
  if (place != kHost) result.device_name = gpu::device_name(place);
  if (place != kHost && !result.is_empty()) {
    auto const start = [&] { return gpu::make_stopwatch(place, result.read, result.written, aligned); };
    auto const [chosen, why] =
        choose(candidates_of(result.simplest, aligned), choice_key(result.device_name, result.simplest, aligned), effort, start);
    result.chosen = chosen;
    result.why = why;
  }
  if (place == kHost && !result.is_empty()) result.on_cpu = plan_cpu(result.simplest);
  return std::make_shared<prepared_plan const>(std::move(result));
}

void move(prepared_plan const& plan, void const* source, void* destination, void* stream) {
  if (plan.chosen) gpu::run(*plan.chosen, source, destination, stream);
  if (plan.on_cpu) cpu::run(*plan.on_cpu, source, destination);
}

}  // namespace cornerturn
