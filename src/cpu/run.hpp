#pragma once

#include <cornerturn/worker_threads.hpp>
#include <cstdint>
#include <functional>

#include "cpu/boxes/plan.hpp"
#include "cpu/convert/plan.hpp"
#include "cpu/panels/panels.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/swap/plan.hpp"
#include "cpu/tiles/plan.hpp"

namespace cornerturn::cpu {

/// Runs a plan between arrays in host memory, on `threads_for(plan)` threads, one of which is the caller's, or on `workers`. The
/// problem's offsets count from the pointers, which need no alignment. The arrays must not overlap.
///
/// If `progress` is given, the caller's thread calls it every few megabytes with the fraction done, from 0 to 1. An exception of
/// `progress`, or of a thread that finds no memory, ends the work, and the first one passes through to the caller; the
/// destination then holds some of the result.
void run(cpu_plan const& plan, void const* source, void* destination, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

/// The number of threads that `run` takes for a plan.
int threads_for(cpu_plan const& plan);

/// The number of threads that a result of so many bytes is worth.
int threads_worth(std::int64_t bytes, thread_limits const& limits);

/// Runs a plan on the caller's thread alone.
void run_alone(cpu_plan const& plan, void const* source, void* destination);

/// Runs a plan whose elements change, in the same way.
void run(cpu_convert const& plan, void const* source, void* destination, std::function<void(double)> const& progress = {},
         worker_threads const* workers = nullptr);

/// Swaps the runs of squares in place, on several threads or on `workers`. The plan's offset counts from `data`, which needs no
/// alignment. Allocates no memory besides that of threads.
void run(cpu_swap const& plan, void* data, worker_threads const* workers = nullptr);

/// Moves all panels in place, with the memory and the state of a plan's run.
void run(cpu_panels const& plan, void* data, panel_memory const& memory, panel_run& state, worker_threads const* workers);
/// Moves all boxes in place.
void run(cpu_boxes const& plan, void* data, panel_memory const& memory, worker_threads const* workers);

/// The number of threads that run a plan, which need memory each.
int threads_for(cpu_panels const& plan, worker_threads const* workers);
int threads_for(cpu_boxes const& plan, worker_threads const* workers);

}  // namespace cornerturn::cpu
