#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/round.hpp"
#include "cpu/run.hpp"
#include "cpu/sizes.hpp"
#include "kernel/decisions.hpp"
#include "machine/cpu_model.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// How the CPU permutes long runs in place: an array of (rows, between, columns) runs becomes one of (columns, between, rows)
/// runs. A box has the same part of every run. A thread copies a box to its own memory, then writes it back in the new order. If
/// runs consist of whole cache lines, boxes begin at cache lines of the array; the first box may begin before. Otherwise a thread
/// keeps the last, partial cache line of a box and writes it with its next box.
struct cpu_boxes {
  static constexpr std::string_view family = "cpu-boxes";
  static constexpr int version = 1;

  std::int64_t rows = 1, between = 1, columns = 1;
  std::int64_t run = 1;           ///< bytes of a run
  std::int64_t part = 1;          ///< bytes of each run in a box; the first and the last box may have fewer
  std::int64_t group = 1;         ///< runs between which there are no gaps, before and after
  std::int64_t gap = 0;           ///< bytes between two groups of runs
  std::int64_t arrays = 1;        ///< arrays of the batch
  std::int64_t array_stride = 0;  ///< bytes from one array to the next
  thread_limits threads;

  std::int64_t runs() const { return rows * between * columns; }
  /// Boxes of an array. If the array does not begin at a cache line, the first box may have fewer bytes, and the last box has the
  /// remaining ones. Otherwise the last box may be empty.
  std::int64_t parts() const { return part == run ? 1 : ceil_div(run + kCacheLine - 1, part); }
  std::int64_t tasks() const { return arrays * parts(); }  ///< boxes of all arrays
  std::int64_t bytes() const { return arrays * runs() * run; }
  /// Bytes of each run that a thread may have to keep from its last box, because they do not fill a cache line.
  std::int64_t kept() const { return (run | gap | array_stride) % kCacheLine == 0 ? 0 : kCacheLine; }
  /// Bytes from one run to the next in a thread's memory.
  std::int64_t pitch() const { return kept() + round_up(part, kCacheLine); }
  std::int64_t memory_bytes() const { return runs() * pitch(); }  ///< bytes of a thread's memory

  auto parameters() const { return std::tuple(arrays, rows, between, columns, run, part, group); }

  static plan_decisions<cpu_boxes> decisions();
};

/// Plans an exchange as boxes. Arrays have one panel, and both sides have their runs at the same places. Returns nothing if the
/// parts of runs would be shorter than a cache line.
std::optional<cpu_boxes> plan_cpu_boxes(placed_exchange const& all, cpu_limits const& limits);

/// The expected time of boxes, in units of the time of a copy.
double cost_of(cpu_boxes const& plan);

std::string describe(cpu_boxes const& plan);

namespace cpu {

/// The memory of a plan's threads.
thread_memory thread_memory_of(cpu_boxes const& plan, worker_threads const* workers);

/// Runs a plan in place with the best enabled vector instructions of this processor.
void run(cpu_boxes const& plan, void const* source, void* destination, run_context const& context);

}  // namespace cpu
}  // namespace cornerturn
