#pragma once

#include <cstdint>
#include <functional>

#include "cornerturn/worker_threads.hpp"
#include "cpu/panel_memory.hpp"
#include "machine/cpu_model.hpp"

namespace cornerturn::cpu {

/// What the runs of some plans share. Any pointer may be null.
///
/// Each family has `run(plan, source, destination, context)`, which runs a plan on arrays in host memory, on the caller's thread
/// and helpers of the process, or on `workers`. The problem's offsets count from the pointers, which need no alignment. The
/// arrays must not overlap, unless the family works in place: it moves elements within the destination.
///
/// If `progress` is given, families out of place call it on the caller's thread every few megabytes with the fraction done, from
/// 0 to 1. An exception of `progress`, or of a thread that finds no memory, ends the work. The first exception passes through to
/// the caller, and the destination then holds a part of the result.
struct run_context {
  std::function<void(double)> const* progress = nullptr;  ///< not empty
  worker_threads const* workers = nullptr;                ///< null: helpers of the process
  panel_memory const* memory = nullptr;                   ///< families that have `thread_memory_of` need it
};

/// The number of threads for a result of `bytes` bytes that can be divided into `parts` parts.
int threads_for(std::int64_t bytes, std::int64_t parts, thread_limits const& limits, worker_threads const* workers = nullptr);

/// The number of threads that a result of `bytes` bytes is worth.
int threads_worth(std::int64_t bytes, thread_limits const& limits);

/// Calls body(0) to body(count - 1) on the caller's workers, or else on helpers.
void do_parts(worker_threads const* workers, int count, std::function<void(int)> const& body);

/// Takes the bytes that a share has moved since the last call. If it returns false, another share has failed, and this one ends.
using reporter = std::function<bool(std::int64_t)>;

/// Moves `count` shares of a plan of `bytes` bytes: share(index, report) moves one.
void do_shares(run_context const& context, int count, std::int64_t bytes, std::function<void(int, reporter const&)> const& share);

/// The threads of a plan that needs the context's memory: at most the number that has memory, because `set_num_threads` or a new
/// affinity may have raised the number of threads since the memory was allocated.
int threads_with_memory(thread_memory const& needed, run_context const& context);

}  // namespace cornerturn::cpu
