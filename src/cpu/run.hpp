#pragma once

#include <cstdint>
#include <functional>

#include "cornerturn/worker_threads.hpp"
#include "cpu/boxes/plan.hpp"
#include "cpu/convert/plan.hpp"
#include "cpu/panels/panels.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/swap/plan.hpp"
#include "cpu/tiles/plan.hpp"

namespace cornerturn::cpu {

/// What the runs of some plans share. Any pointer may be null.
struct run_context {
  std::function<void(double)> const* progress = nullptr;  ///< not empty
  worker_threads const* workers = nullptr;                ///< null: helpers of the process
  panel_memory const* memory = nullptr;                   ///< panels and boxes need it
};

/// Runs a plan between arrays in host memory, on `threads_for(plan)` threads, the caller's included, or on `workers`. The
/// problem's offsets count from the pointers, which need no alignment. The arrays must not overlap.
///
/// If `progress` is given, the caller's thread calls it every few megabytes with the fraction done, from 0 to 1. An exception of
/// `progress`, or of a thread that finds no memory, ends the work. The first exception passes through to the caller, and the
/// destination then holds a part of the result.
void run(cpu_plan const& plan, void const* source, void* destination, run_context const& context = {});
void run(cpu_convert const& plan, void const* source, void* destination, run_context const& context = {});

/// Runs a plan in place: moves the runs of squares, panels or boxes within the destination. Panels and boxes need memory in the
/// context. A swap allocates no memory, except to start threads.
void run(cpu_swap const& plan, void const* source, void* destination, run_context const& context = {});
void run(cpu_panels const& plan, void const* source, void* destination, run_context const& context);
void run(cpu_boxes const& plan, void const* source, void* destination, run_context const& context);

/// The number of threads that run a plan. With panels and boxes, each needs memory.
int threads_for(cpu_plan const& plan);
int threads_for(cpu_panels const& plan, worker_threads const* workers);
int threads_for(cpu_boxes const& plan, worker_threads const* workers);

/// The number of threads that a result of `bytes` bytes is worth.
int threads_worth(std::int64_t bytes, thread_limits const& limits);

/// Runs a plan on the caller's thread alone.
void run_alone(cpu_plan const& plan, void const* source, void* destination);

}  // namespace cornerturn::cpu
