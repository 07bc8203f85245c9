#include "engine/cpu/cpu.hpp"

#include <cstddef>
#include <memory>
#include <variant>

namespace cornerturn::cpu {

void run(std::span<step const> steps, plan_memory const& memory, std::function<void(double)> const& progress,
         worker_threads const* workers) {
  run_context context{progress ? &progress : nullptr, workers};
  if (steps.size() == 1)  // A call for a few elements takes 40 ns, and has no memory to share.
    if (auto const* const plan = std::get_if<cpu_plan>(&steps.front().kernel))
      return run(*plan, memory.read_by(steps.front()), memory.written_by(steps.front()), context);
  std::size_t done = 0;
  std::function<void(double)> of_all;
  if (progress) {
    of_all = [&](double share) { progress((double(done) + share) / double(steps.size())); };
    context.progress = &of_all;
  }
  panel_memory held;
  for (step const& each : steps)
    with_cpu_plan(each, [&](auto const& plan) {
      if constexpr (requires { thread_memory_of(plan, workers); }) held.include(thread_memory_of(plan, workers));
    });
  held.allocate();
  context.memory = &held;
  for (step const& each : steps) {
    with_cpu_plan(each, [&](auto const& plan) { run(plan, memory.read_by(each), memory.written_by(each), context); });
    ++done;
  }
}

void run(candidate const& way, plan_memory const& memory, std::function<void(double)> const& progress,
         worker_threads const* workers) {
  if (memory.workspace || way.workspace_bytes == 0) return run(way.steps, memory, progress, workers);
  auto const own = std::make_unique_for_overwrite<std::byte[]>(std::size_t(way.workspace_bytes));
  auto with_workspace = memory;
  with_workspace.workspace = own.get();
  run(way.steps, with_workspace, progress, workers);
}

}  // namespace cornerturn::cpu
