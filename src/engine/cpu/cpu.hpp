#pragma once

#include <functional>
#include <span>

#include "cornerturn/worker_threads.hpp"
#include "plan/step.hpp"

namespace cornerturn::cpu {

/// Runs the steps of a CPU's plan in their order. The memory of all steps that move panels is allocated before the first step
/// runs. `progress` is called for each step that does not work in place, from 0 to 1.
void run(std::span<step const> steps, plan_memory const& memory, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

}  // namespace cornerturn::cpu
