#pragma once

#include <functional>
#include <span>

#include "cornerturn/worker_threads.hpp"
#include "plan/candidate.hpp"

namespace cornerturn::cpu {

/// Runs the steps of a CPU's plan in their order. The memory of all steps that move panels is allocated before the first step
/// runs. `progress` is called from 0 to 1 over all steps, by steps that do not work in place.
void run(std::span<step const> steps, plan_memory const& memory, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

/// Runs a candidate. If it needs a workspace and `memory` has none, a workspace is allocated before an element moves.
void run(candidate const& way, plan_memory const& memory, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

}  // namespace cornerturn::cpu
