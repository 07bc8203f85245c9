#include "engine/cpu/cpu.hpp"

#include <algorithm>
#include <list>
#include <variant>

#include "cpu/run.hpp"

namespace cornerturn::cpu {

void run(std::span<step const> steps, plan_memory const& memory, std::function<void(double)> const& progress,
         worker_threads const* workers) {
  if (steps.size() == 1)
    if (auto const* const plan = std::get_if<cpu_plan>(&steps.front().kernel))
      return run(*plan, memory.read_by(steps.front()), memory.written_by(steps.front()), progress, workers);
  // All memory is allocated before the first step.
  std::list<panel_run> runs;  // one for each step that is a `cpu_panels`
  panel_memory held;
  int most_threads = 0;
  auto const include = [&](auto const& plan) {
    most_threads = std::max(most_threads, threads_for(plan, workers));
    held.include(plan);
  };
  for (step const& each : steps)
    if (auto const* const panels = std::get_if<cpu_panels>(&each.kernel))
      include(*panels), runs.emplace_back(*panels);
    else if (auto const* const boxes = std::get_if<cpu_boxes>(&each.kernel))
      include(*boxes);
  if (most_threads > 0) held.allocate(most_threads);
  auto next_run = runs.begin();
  for (step const& each : steps) {
    if (auto const* const panels = std::get_if<cpu_panels>(&each.kernel))
      run(*panels, memory.written_by(each), held, *next_run++, workers);
    else if (auto const* const boxes = std::get_if<cpu_boxes>(&each.kernel))
      run(*boxes, memory.written_by(each), held, workers);
    else if (auto const* const swapped = std::get_if<cpu_swap>(&each.kernel))
      run(*swapped, memory.written_by(each), workers);
    else if (auto const* const converted = std::get_if<cpu_convert>(&each.kernel))
      run(*converted, memory.read_by(each), memory.written_by(each), progress, workers);
    else
      run(std::get<cpu_plan>(each.kernel), memory.read_by(each), memory.written_by(each), progress, workers);
  }
}

}  // namespace cornerturn::cpu
