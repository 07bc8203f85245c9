#include "api/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "api/memory.hpp"
#include "base/log_plan.hpp"
#include "base/refuse.hpp"
#include "cpu/machine.hpp"
#include "cpu/threads.hpp"
#include "engine/cpu/cpu.hpp"
#include "engine/cpu/stopwatch.hpp"
#include "engine/gpu/devices.hpp"
#include "engine/gpu/gpu.hpp"
#include "engine/gpu/stopwatch.hpp"
#include "measure/compare_results.hpp"
#include "plan/choose.hpp"
#include "plan/cpu_candidates.hpp"
#include "plan/limited.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"

namespace cornerturn {
namespace {

/// The bytes of the widest access. A greater alignment makes no difference.
constexpr int kMostAlignment = 16;

/// The limits of measurements on the CPU, where times vary more than on a GPU, and every candidate touches its memory anew.
constexpr measurement_limits kCpuLimits{.seconds = 0.35, .warm_up_share = 0.5, .margin = 0.05};

void run_candidate(candidate const& each, std::byte const* source, std::byte* result) {
  cpu::run(each, {.source = source, .destination = result});
}

/// The name of the CPU in the keys of choices: model, instruction set and number of threads.
std::string cpu_name(int limit) {
  int const threads = cpu::thread_count(limit);
  return fmt::format("{}, {}, {} thread{}", cpu::model(), cpu::known_instructions(), threads, threads == 1 ? "" : "s");
}

}  // namespace

int alignment_given(std::string_view name, int bytes) {
  if (bytes < 1 || !std::has_single_bit(unsigned(bytes))) refuse(name, bytes, "a power of two");
  return std::min(bytes, kMostAlignment);
}

alignment alignment_given(plan_options const& options) {
  return {alignment_given("source_alignment", options.source_alignment),
          alignment_given("destination_alignment", options.destination_alignment)};
}

int place_given(processor_kind processor, int device) {
  auto const missing = processor == processor_kind::cpu ? "the processor is cpu" : gpu::why_unavailable();
  if (missing.empty()) return device == -1 ? gpu::current_device() : device;
  refuse_missing_gpu(processor);
  if (device != -1) refuse("device", device, fmt::format("-1 here: {}", missing));
  return kHost;
}

gpu_model const& estimated_model(estimated_gpu on, processor_kind processor, int device) {
  if (on == estimated_gpu::h200) return h200_model();
  return gpu::why_unavailable().empty() ? gpu::model_of(place_given(processor, device)) : model_without_gpu();
}

int threads_given(int threads) {
  if (threads < 0) refuse("threads", threads, "0 or more");
  return threads;
}

where where_given(plan_options const& options) {
  auto const aligned = alignment_given(options);
  return {place_given(options.processor, options.device), aligned, threads_given(options.threads)};
}

prepared_plan unplanned(problem const& given, where const& at) {
  return {.simplest = canonical(given),
          .read = source_range(given),
          .written = destination_range(given),
          .aligned = at.aligned,
          .device = at.place,
          .threads = at.threads,
          .device_name = device_name_of(at)};
}

namespace {

/// The candidates of a plan that pads, crops or swizzles.
selection selection_of_limited(prepared_plan const& plan) {
  auto key = choice_key(plan.device_name, to_string(*plan.limited), plan.aligned);
  if (plan.device == kHost) {
    auto const first = [&] { return cpu_limited_candidate(*plan.limited, cpu::usual_tile_hint(plan.threads)); };
    return {.first = first,
            .candidates = [=] { return std::vector{first()}; },
            .key = std::move(key),
            .start = [&] { return cpu::make_stopwatch(plan.read, plan.written); },
            .limits = kCpuLimits};
  }
  auto const all = [&] { return limited_candidates(*plan.limited, plan.aligned, gpu::model_of(plan.device)); };
  return {.first = [=] { return all().front(); },
          .candidates = all,
          .key = std::move(key),
          .start = [&] { return gpu::make_stopwatch(plan.device, plan.read, plan.written, plan.aligned); }};
}

}  // namespace

selection selection_of(prepared_plan const& plan) {
  if (plan.limited) return selection_of_limited(plan);
  bool const on_cpu = plan.device == kHost;
  auto key = choice_key(plan.device_name, to_string(plan.simplest), plan.aligned);
  std::function<void(std::vector<candidate> const&)> compare;
  if (compares_results())
    compare = [&plan, on_cpu](auto const& all) {
      compare_results(plan.simplest, all, plan.read, plan.written,
                      on_cpu ? run_candidate : gpu::make_run_in_host_memory(plan.device, plan.read, plan.written, plan.aligned));
    };
  if (on_cpu)
    return {.first = [&] { return cpu_candidate_of(plan.simplest, cpu::usual_tile_hint(plan.threads)); },
            .candidates = [&] { return cpu_candidates_of(plan.simplest, cpu::usual_tile_hint(plan.threads)); },
            .key = std::move(key),
            .start = [&] { return cpu::make_stopwatch(plan.read, plan.written); },
            .limits = kCpuLimits,
            .compare = std::move(compare)};
  return {.first = [&] { return fastest_candidate(plan.simplest, plan.aligned, gpu::model_of(plan.device)); },
          .candidates = [&] { return candidates_of(plan.simplest, plan.aligned, gpu::model_of(plan.device)); },
          .key = std::move(key),
          .start = [&] { return gpu::make_stopwatch(plan.device, plan.read, plan.written, plan.aligned); },
          .compare = std::move(compare)};
}

std::shared_ptr<prepared_plan const> prepare_plan(problem const& given, where const& at, planning_effort effort) {
  return with_choice(unplanned(given, at), effort);
}

std::shared_ptr<prepared_plan const> with_choice(prepared_plan plan, planning_effort effort) {
  if (!plan.is_empty()) plan.chosen = choose(selection_of(plan), effort);
  return std::make_shared<prepared_plan const>(std::move(plan));
}

std::string device_name_of(where const& at) {
  return at.place == kHost ? cpu_name(at.threads) : gpu::model_of(at.place).limits.name;
}

void refuse_workers(worker_threads const& workers, prepared_plan const& plan) {
  if (!workers.parallel_for) refuse("workers.parallel_for", "empty", "a function");
  if (workers.count < 1) refuse("workers.count", workers.count, "1 or more");
  if (plan.device != kHost) refuse("plan", fmt::format("for GPU {}", plan.device), "for the CPU to run on worker threads");
}

void move(prepared_plan const& plan, plan_memory const& memory, void* stream, worker_threads const* workers) {
  log_plan([&] { return describe(plan); });
  refuse_factors(plan, plan.written, memory.destination, stream);
  if (plan.device == kHost) return cpu::run(plan.chosen, memory, {}, workers);
  gpu::on_device const current(plan.device);
  if (memory.workspace || plan.chosen.workspace_bytes == 0) return gpu::run(plan.chosen.steps, memory, stream);
  gpu::stream_memory const own(plan.chosen.workspace_bytes, stream);
  auto with_workspace = memory;
  with_workspace.workspace = own.get();
  gpu::run(plan.chosen.steps, with_workspace, stream);
}

}  // namespace cornerturn
