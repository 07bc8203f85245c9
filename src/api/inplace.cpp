#include "cornerturn/inplace.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>

#include "api/explain_plan.hpp"
#include "api/memory.hpp"
#include "api/one_shot.hpp"
#include "api/prepare.hpp"
#include "base/refuse.hpp"
#include "cpu/machine.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "inplace/gpu.hpp"
#include "inplace/plan.hpp"
#include "plan/request_key.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

/// The fastest candidate at the plan's place with at most `most_workspace` bytes of workspace, if there is one.
std::optional<candidate> inplace_candidate(prepared_plan const& plan, std::int64_t most_workspace) {
  if (plan.device == kHost) return cpu_inplace_candidate_of(plan.simplest, cpu::usual_limits(plan.threads), most_workspace);
  return inplace_candidate_of(plan.simplest, plan.aligned, gpu::model_of(plan.device), most_workspace);
}

/// Throws `error` for a problem that has no candidate with at most `most_workspace` bytes of workspace.
[[noreturn]] void refuse_inplace(prepared_plan const& plan, index_list shape, index_list axes, std::int64_t most_workspace) {
  bool const on_cpu = plan.device == kHost;
  auto const limits = cpu::usual_limits(plan.threads);
  auto const least = on_cpu ? least_cpu_workspace(plan.simplest, limits)
                            : least_gpu_workspace(plan.simplest, plan.aligned, gpu::model_of(plan.device));
  auto const given = fmt::format("({}) for an array of shape ({})", fmt::join(axes, ", "), fmt::join(shape, ", "));
  if (least) refuse("workspace", most_workspace, fmt::format("at least {} bytes where axes is {}", *least, given));
  auto const most_bytes = on_cpu ? limits.longest_panel : most_panel_bytes(gpu::model_of(plan.device));
  auto const rectangle = exchange_of(plan.simplest);
  if (rectangle && rectangle->between == 1)
    refuse({"axes", "the longer axis"}, fmt::format("{} bytes", rectangle->longer() * rectangle->run * rectangle->element_size),
           fmt::format("at most {} bytes to be exchanged in place; permute moves the array to a second one", most_bytes));
  refuse(
      "axes", given,
      fmt::format("a sequence of exchanges of two groups of axes, the longer of at most {} bytes; permute moves the array to a "
                  "second one by any axes",
                  most_bytes));
}

/// Plans a permutation. A plan that moves no element has no steps and no range of bytes, so it runs on any pointer.
std::shared_ptr<prepared_plan const> prepare_inplace(index_list shape, index_list axes, std::int64_t element_size,
                                                     where const& at, std::int64_t workspace) {
  if (workspace < -1) refuse("workspace", workspace, "0 or more, or -1 for the usual limit");
  auto result = unplanned(permutation(shape, {}, axes, element_size), at);
  if (result.is_empty() || std::ranges::all_of(result.simplest.modes, stays)) {
    result.read = result.written = {};
  } else {
    auto const most = workspace == -1 ? usual_workspace(result.written.high - result.written.low) : workspace;
    auto fastest = inplace_candidate(result, most);
    if (!fastest) refuse_inplace(result, shape, axes, most);
    result.chosen = std::move(*fastest);
    result.chosen.why = "the fastest way in place by estimate";
  }
  return std::make_shared<prepared_plan const>(std::move(result));
}

/// Runs a plan. Throws `error` for a workspace that is not aligned, or that overlaps the array.
void move_inplace(prepared_plan const& plan, void* data, void* stream, void* workspace, worker_threads const* workers = nullptr) {
  refuse_misaligned("workspace", workspace, kWorkspaceAlign, "");
  refuse_overlap({"workspace", workspace, {0, plan.chosen.workspace_bytes}}, {"data", data, plan.written});
  move(plan, {.source = data, .destination = data, .workspace = workspace}, stream, workers);
}

}  // namespace

void permute_inplace(void* data, index_list shape, index_list axes, std::int64_t element_size, inplace_options const& options) {
  int const threads = threads_given(options.threads);
  if (!data) {  // a null pointer is allowed if there is nothing to move
    if (!prepare_inplace(shape, axes, element_size, {kHost, {}, threads}, options.workspace)->is_empty())
      refuse_null("data", data);
    return;
  }
  auto const [place, waits, reported] = placement_of(data, places_in(options));
  if (place == kHost && options.processor == processor_kind::gpu) {
    refuse_missing_gpu(options.processor);
    refuse("data", "host memory", "device memory or managed memory where processor is gpu");
  }
  where const at(place, place == kHost ? alignment{} : alignment_of(data, data), threads);
  request_key key(request_key::call::permute_inplace);
  key.add(element_size);
  key.add(options.workspace);
  key.add(at);
  key.add(shape);
  key.add(axes);
  auto const plan = one_shot_plan(key.words(), [&] { return prepare_inplace(shape, axes, element_size, at, options.workspace); });
  if (plan->is_empty()) return;
  refuse_unreadable(place, reported, {data, plan->read}, {data, plan->written});
  if (waits) gpu::synchronize(options.stream);
  move_inplace(*plan, data, options.stream, nullptr);
}

inplace_plan::inplace_plan(std::shared_ptr<prepared_plan const> prepared) : prepared_(std::move(prepared)) {}

void inplace_plan::run(void* data, void* stream, void* workspace) const {
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, data, stream);
  move_inplace(*prepared_, data, stream, workspace);
}

void inplace_plan::run_on(worker_threads const& workers, void* data, void* workspace) const {
  refuse_workers(workers, *prepared_);
  if (prepared_->is_empty()) return;
  refuse_memory(*prepared_, data, nullptr);
  move_inplace(*prepared_, data, nullptr, workspace, &workers);
}

std::int64_t inplace_plan::workspace_bytes() const { return prepared_->chosen.workspace_bytes; }

std::string inplace_plan::describe() const { return cornerturn::describe(*prepared_); }

explanation inplace_plan::explain() const {
  return explain_prepared(*prepared_, [](problem const& p) { return inplace_candidates_of(p, {}); });
}

inplace_plan plan_permute_inplace(index_list shape, index_list axes, std::int64_t element_size,
                                  inplace_plan_options const& options) {
  int const aligned = alignment_given("alignment", options.alignment);
  where const at(place_given(options.processor, options.device), {aligned, aligned}, threads_given(options.threads));
  return inplace_plan(prepare_inplace(shape, axes, element_size, at, options.workspace));
}

}  // namespace cornerturn
