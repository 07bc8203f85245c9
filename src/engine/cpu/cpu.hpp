#pragma once

#include <functional>

#include "plan/cpu_plan.hpp"
#include "problem/problem.hpp"

namespace cornerturn::cpu {

/// Moves what was planned between arrays in host memory, on as many threads as help, the caller's among them. The pointers are
/// those that the problem's offsets count from and need no alignment. Expects memory that does not overlap.
///
/// `progress`, where given, is told the share done, 0 to 1, every few megabytes and on the caller's thread. What it throws, and
/// what any thread throws for want of memory, ends the work and passes through, the first of them; the destination then holds
/// some of the result.
void run(cpu_plan const& plan, void const* source, void* destination, std::function<void(double)> const& progress = {});

/// How many threads `run` takes for a plan.
int threads_for(cpu_plan const& plan);

/// What `run` does, on the caller's thread alone.
void run_alone(cpu_plan const& plan, void const* source, void* destination);

/// Moves a canonical problem, planned for this once. Expects a problem that `validate` accepts.
void permute(problem const& canonical, void const* source, void* destination, std::function<void(double)> const& progress = {});

}  // namespace cornerturn::cpu
