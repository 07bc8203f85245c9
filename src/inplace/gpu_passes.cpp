#include "inplace/gpu_passes.hpp"

#include <utility>

#include "inplace/saved_copies.hpp"
#include "plan/choose.hpp"

namespace cornerturn {

std::optional<candidate> with_copies(gpu_passes const& planned, alignment const& aligned, gpu_model const& gpu, double limit) {
  if (planned.seconds >= limit) return std::nullopt;
  auto const& passes = planned.passes;
  candidate result{
      .steps = {}, .workspace_bytes = passes.workspace_bytes, .seconds = planned.seconds, .is_scaled = gpu.is_scaled};
  auto copies = copies_of(passes, aligned, [&](problem const& p, alignment const& both) {
    auto copy = fastest_candidate(p, both, gpu);
    result.seconds += copy.seconds;
    return result.seconds < limit ? std::optional(only_step(copy)) : std::nullopt;
  });
  if (!copies) return std::nullopt;
  auto moved = inplace_step(planned.panel);
  if (passes.flags_bytes > 0) moved.source = {buffer_role::workspace};
  result.steps = steps_of(planned.slots, std::move(moved), passes.swaps_first, *std::move(copies));
  if (passes.flags_bytes > 0)
    result.steps.insert(result.steps.begin(), {clearing{passes.flags_bytes}, {buffer_role::workspace}, {buffer_role::workspace}});
  return result;
}

}  // namespace cornerturn
