#include "inplace/small_arrays.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "kernel/gather/plan.hpp"
#include "kernel/tiled/plan.hpp"
#include "plan/step.hpp"
#include "problem/canonical.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kMostArrayBytes = 24 << 10;  ///< larger arrays fill a block of `panels` of their own

/// True if tiles follow each other in steps of whole arrays, so that only the batch is divided. `array` is in the digits' unit.
template <class Job>
bool has_whole_arrays(Job const& job, std::int64_t array) {
  auto const digits =
      std::span(job.digits).subspan(std::size_t(job.tile_digits.begin), std::size_t(job.tile_digits.end - job.tile_digits.begin));
  return std::ranges::all_of(
      digits, [&](radix_digit const& each) { return each.source == each.destination && each.source % array == 0; });
}

bool moves_whole_arrays(tiled_plan const& plan, std::int64_t array) { return has_whole_arrays(plan.job, array); }

/// A tile with a halo also writes elements of its neighbours.
bool moves_whole_arrays(gather_plan const& plan, std::int64_t array) {
  return plan.job.store.halo == 0 && has_whole_arrays(plan.job, array * plan.element_size);
}

}  // namespace

std::optional<candidate> small_arrays_inplace(problem const& refitted, alignment const& aligned, gpu_model const& gpu) {
  std::optional<candidate> best;
  if (refitted.modes.size() < 3 || !stays(refitted.modes.front())) return best;
  auto const array = refitted.modes.front().destination_stride;
  if (array * shared_element_size(refitted) > kMostArrayBytes) return best;
  auto const consider = [&]<class Plan>(std::vector<estimate<Plan>> all) {
    for (auto& each : all)
      if (moves_whole_arrays(each.plan, array) && (!best || each.seconds < best->seconds))
        best = candidate{.steps = {inplace_step(std::move(each.plan))}, .seconds = each.seconds, .is_scaled = gpu.is_scaled};
  };
  consider(tiled_plan::candidates(refitted, aligned, gpu));
  consider(gather_plan::candidates(refitted, aligned, gpu));
  return best;
}

}  // namespace cornerturn
