#pragma once

#include <cornerturn/worker_threads.hpp>
#include <cstdint>
#include <functional>
#include <span>

#include "plan/step.hpp"

namespace cornerturn::cpu {

/// Runs a plan between arrays in host memory, on `threads_for(plan)` threads, the caller's included, or on `workers`. The
/// problem's offsets count from the pointers, which need no alignment. The arrays must not overlap.
///
/// If `progress` is given, the caller's thread calls it every few megabytes with the fraction done, from 0 to 1. An exception of
/// `progress`, or of a thread that finds no memory, ends the work. The first exception passes through to the caller, and the
/// destination then holds a part of the result.
void run(cpu_plan const& plan, void const* source, void* destination, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

/// The number of threads that `run` takes for a plan.
int threads_for(cpu_plan const& plan);

/// The number of threads that a result of `bytes` bytes is worth.
int threads_worth(std::int64_t bytes, thread_limits const& limits);

/// Runs a plan on the caller's thread alone.
void run_alone(cpu_plan const& plan, void const* source, void* destination);

/// Runs a plan whose elements change, in the same way.
void run(cpu_convert const& plan, void const* source, void* destination, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

/// Swaps the runs of squares in place, on several threads or on `workers`. The plan's offset counts from `data`, which needs no
/// alignment. Allocates no memory, except to start threads.
void run(cpu_swap const& plan, void* data, worker_threads const* workers = nullptr);

/// Runs the steps of a CPU's plan in their order. The memory of all steps that move panels is allocated before the first step
/// runs. `progress` is called for each step that does not work in place, from 0 to 1.
void run(std::span<step const> steps, plan_memory const& memory, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

}  // namespace cornerturn::cpu
