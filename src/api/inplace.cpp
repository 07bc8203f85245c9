#include "cornerturn/inplace.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "api/explain_plan.hpp"
#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "api/prepare.hpp"
#include "engine/gpu/devices.hpp"
#include "explain/buffers.hpp"
#include "plan/cache.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "plan/request_key.hpp"
#include "problem/canonical.hpp"
#include "problem/fail.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// The candidate for a canonical problem that moves elements; without steps if it is not supported.
candidate candidate_for(problem const& canonical, alignment const& aligned, int place, int threads) {
  auto const all = place == kHost ? cpu_inplace_candidates_of(canonical, threads)
                                  : inplace_candidates_of(canonical, aligned, gpu::model_of(place));
  return all.empty() ? candidate{} : all.front();
}

/// Plans a permutation. A plan that moves no element has no steps and no range of bytes, so it runs on any pointer.
std::shared_ptr<prepared_plan const> prepare_inplace(index_list shape, index_list axes, std::int64_t element_size, int aligned,
                                                     int place, int threads) {
  auto result = unplanned(permutation(shape, {}, axes, element_size), {aligned, aligned}, place, threads);
  if (result.is_empty() || std::ranges::all_of(result.simplest.modes, stays)) {
    result.read = result.written = {};
  } else {
    result.chosen = candidate_for(result.simplest, result.aligned, place, threads);
    result.why = "the only way in place";
    if (result.chosen.steps.empty())
      refuse(
          "axes", fmt::format("({}) for an array of shape ({})", fmt::join(axes, ", "), fmt::join(shape, ", ")),
          "an exchange of two axes of equal extent, the only one in place; permute moves the array to a second one by any axes");
  }
  return std::make_shared<prepared_plan const>(std::move(result));
}

copy_options places_in(inplace_options const& options) {
  return {options.processor, options.stream, options.device, options.threads};
}

}  // namespace

void permute_inplace(void* data, index_list shape, index_list axes, std::int64_t element_size, inplace_options const& options) {
  int const threads = threads_given(options.threads);
  if (!data) {  // a null pointer is allowed if there is nothing to move
    if (!prepare_inplace(shape, axes, element_size, 1, kHost, threads)->is_empty()) refuse_null("data", data);
    return;
  }
  auto const [place, waits, reported] = placement_of(data, places_in(options));
  if (place == kHost && options.processor == processor_kind::gpu) {
    refuse_missing_gpu(options.processor);
    refuse("data", "host memory", "device memory or managed memory where processor is gpu");
  }
  auto const aligned = place == kHost ? 1 : alignment_of(data, data).destination;
  request_key key(request_key::call::permute_inplace);
  for (std::int64_t const each : {element_size, std::int64_t(place), std::int64_t(aligned), std::int64_t(threads)}) key.add(each);
  key.add(shape);
  key.add(axes);
  auto const plan = one_shot_plan(key, [&] { return prepare_inplace(shape, axes, element_size, aligned, place, threads); });
  if (plan->is_empty()) return;
  refuse_unreadable(place, reported, {data, plan->read}, {data, plan->written});
  if (waits) gpu::synchronize(options.stream);
  move(*plan, data, data, options.stream);
}

inplace_plan::inplace_plan(std::shared_ptr<prepared_plan const> prepared) : prepared_(std::move(prepared)) {}

void inplace_plan::run(void* data, void* stream) const {
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, data, stream);
  move(*prepared_, data, data, stream);
}

void inplace_plan::run_on(worker_threads const& workers, void* data) const {
  refuse_workers(workers, *prepared_);
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, data, nullptr);
  move(*prepared_, data, data, nullptr, &workers);
}

std::string inplace_plan::describe() const { return cornerturn::describe(*prepared_); }

explanation inplace_plan::explain() const {
  auto const& plan = *prepared_;
  if (plan.is_empty()) return nothing_to_move();
  int const align = plan.aligned.destination < 16 && plan.device != kHost ? plan.aligned.destination : kBufferAlign;
  if (plan.device != kHost) return explain_candidate(plan.chosen, plan.simplest, gpu::model_of(plan.device), align, align);
  auto result = explain_candidate(inplace_candidates_of(plan.simplest, {}).front(), plan.simplest, h200_model(), align, align);
  result.note = "This plan runs on the CPU. Explained is what a GPU would run instead.";
  return result;
}

inplace_plan plan_permute_inplace(index_list shape, index_list axes, std::int64_t element_size,
                                  inplace_plan_options const& options) {
  plan_options const common{.processor = options.processor, .device = options.device};
  return inplace_plan(prepare_inplace(shape, axes, element_size, alignment_given("alignment", options.alignment),
                                      place_given(common), threads_given(options.threads)));
}

}  // namespace cornerturn
