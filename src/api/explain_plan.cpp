#include "api/explain_plan.hpp"

#include <algorithm>
#include <string>
#include <variant>

#include "api/prepare.hpp"
#include "cornerturn/plan.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/host/host.hpp"
#include "explain/buffers.hpp"
#include "explain/findings.hpp"
#include "explain/instructions.hpp"
#include "plan/choose.hpp"
#include "plan/limited.hpp"
#include "problem/canonical.hpp"
#include "problem/describe.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"

namespace cornerturn {
namespace {

/// The explanation of a plan that moves nothing.
explanation nothing_to_move() {
  explanation result;
  result.plan = "nothing";
  result.unavailable = "there is nothing to move";
  return result;
}

/// The problems of the instructions that cause at least a hundredth of the sectors (or wavefronts) of all instructions in the
/// same memory, with `advice` as in `explain_launches`. This leaves out most instructions for the ends of rows.
std::vector<finding> problems_of(std::vector<memory_instruction> const& all, std::string_view advice) {
  constexpr double kLeastShare = 0.01;
  auto const asked = [](memory_instruction const& each) { return double(each.sectors + each.wavefronts); };
  double in_space[2] = {};
  for (auto const& each : all) in_space[each.space == memory_space::shared] += asked(each);
  auto found = findings_of(all, std::vector<remark>(all.size(), {.advice = std::string(advice)}));
  std::erase_if(found, [&](finding const& each) {
    auto const& on = all[std::size_t(each.instruction)];
    return asked(on) < kLeastShare * in_space[on.space == memory_space::shared];
  });
  return found;
}

}  // namespace

explanation explain_launches(candidate const& chosen, plan_memory const& at, gpu_model const& gpu, std::string_view advice) {
  explanation result;
  instruction_counts counts(kBufferOrigin);
  for (step const& each : chosen.steps) {
    if (std::holds_alternative<clearing>(each.kernel)) continue;
    result.rung +=
        (result.rung.empty() ? "" : "; ") + std::string(with_kernel(each, [](auto const& plan) { return name_of(plan); }));
    result.idea +=
        (result.idea.empty() ? "" : "; ") + std::string(with_kernel(each, [](auto const& plan) { return idea_of(plan); }));
    auto const threads = host::record(each, at, [&](recording const& block, std::int64_t alike) {
      counts.add(block, alike);
      result.blocks += alike;
      ++result.classes;
    });
    result.threads = std::max(result.threads, threads);
  }
  result.plan = describe(chosen);
  result.instructions = counts.all();
  result.findings = problems_of(result.instructions, advice);
  result.seconds = chosen.seconds, result.gpu = gpu.name;
  return result;
}

namespace {

/// What a candidate moves: what describes it, the bytes of an element, and those of a copy that reads and writes as much.
struct moved_elements {
  std::string text;
  std::int64_t element_size, copied_bytes;
};

explanation explain_moved(candidate const& chosen, moved_elements const& moved, gpu_model const& gpu, int source_align,
                          int destination_align) {
  auto const buffer = [](int align) { return reinterpret_cast<void*>(buffer_address(align)); };
  auto result = explain_launches(
      chosen, {.source = buffer(source_align), .destination = buffer(destination_align), .workspace = buffer(kBufferAlign)}, gpu,
      "other candidates of cornerturn plan have other tiles");
  result.problem = moved.text;
  result.element_size = int(moved.element_size);
  result.source_align = source_align, result.destination_align = destination_align;
  result.predicted = copy_seconds(moved.copied_bytes, gpu) / chosen.seconds;
  return result;
}

}  // namespace

explanation explain_candidate(candidate const& chosen, problem const& moved, gpu_model const& gpu, int source_align,
                              int destination_align) {
  return explain_moved(chosen, {describe(moved), moved.element_size.larger(), copied_bytes(moved)}, gpu, source_align,
                       destination_align);
}

explanation explain_candidate(candidate const& chosen, pattern_copy const& moved, gpu_model const& gpu, int source_align,
                              int destination_align) {
  auto bytes = moved.element_size;
  for (auto const extent : moved.move.destination.shape) bytes *= extent;
  return explain_moved(chosen, {describe(moved), moved.element_size, bytes}, gpu, source_align, destination_align);
}

namespace {

explanation explain_problem(problem const& given, int source_align, int destination_align) {
  alignment const aligned{std::min(source_align, 16), std::min(destination_align, 16)};
  if (destination_range(given) == byte_range{}) return nothing_to_move();
  auto const simplest = canonical(given);
  if (!gpu::why_unavailable().empty()) {
    auto const& gpu = model_without_gpu();
    return explain_candidate(candidates_of(simplest, aligned, gpu).front(), simplest, gpu, source_align, destination_align);
  }
  auto const plan = prepare_plan(given, {gpu::current_device(), aligned, 0});
  return explain_candidate(plan->chosen, simplest, gpu::model_of(plan->device), source_align, destination_align);
}

}  // namespace

explanation explain_plan(index_list shape, index_list axes, elements const& element, int source_align, int destination_align) {
  expect_aligns(source_align, destination_align);
  return explain_problem(permutation(shape, {}, axes, element), source_align, destination_align);
}

explanation explain_prepared(prepared_plan const& plan, std::vector<candidate> (*gpu_candidates)(problem const&)) {
  if (plan.is_empty()) return nothing_to_move();
  auto const buffer_align = [](int aligned) { return aligned < 16 ? aligned : kBufferAlign; };
  auto const explained = [&](candidate const& chosen, gpu_model const& gpu, alignment const& aligned) {
    auto const explain_with = [&](auto const& moved) {
      return explain_candidate(chosen, moved, gpu, buffer_align(aligned.source), buffer_align(aligned.destination));
    };
    return plan.limited ? explain_with(*plan.limited) : explain_with(plan.simplest);
  };
  if (plan.device != kHost) return explained(plan.chosen, gpu::model_of(plan.device), plan.aligned);
  explanation result;
  auto const candidates = plan.limited ? limited_candidates(*plan.limited, {}, h200_model()) : gpu_candidates(plan.simplest);
  if (candidates.empty()) {
    result.plan = describe(plan.chosen);
    result.unavailable = "an H200 has no kernel for this permutation in place";
  } else {
    result = explained(candidates.front(), h200_model(), {});
    result.note = "This plan runs on the CPU. Explained is what an H200 would run instead.";
  }
  return result;
}

explanation permutation_plan::explain() const {
  return explain_prepared(*prepared_, [](problem const& p) { return candidates_of(p, {}); });
}

}  // namespace cornerturn
