#include "api/prepare.hpp"

#include <fmt/format.h>

#include "engine/cpu/cpu.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {

std::shared_ptr<prepared_plan const> prepare(problem const& given, alignment const& aligned, int place, enum effort) {
  prepared_plan result{.simplest = canonical(given),
                       .read = source_range(given),
                       .written = destination_range(given),
                       .aligned = aligned,
                       .device = place};
  if (place != kHost) result.device_name = gpu::device_name(place);
  if (place != kHost && !result.is_empty()) {
    auto const candidates = candidates_of(result.simplest, aligned);
    result.chosen = candidates.front();
    result.why = fmt::format("estimated to be the quickest of {} candidates", candidates.size());
  }
  return std::make_shared<prepared_plan const>(std::move(result));
}

void move(prepared_plan const& plan, void const* source, void* destination, void* stream) {
  if (plan.chosen)
    gpu::run(*plan.chosen, source, destination, stream);
  else
    cpu::permute(plan.simplest, source, destination);
}

}  // namespace cornerturn
