#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/round.hpp"
#include "plan/cpu_sizes.hpp"
#include "plan/exchanges.hpp"

namespace cornerturn {

/// How the CPU permutes long runs in place: an array of (rows, between, columns) runs becomes one of (columns, between, rows)
/// runs. A box has the same part of every run. A thread copies a box to its own memory, then writes it back in the new order. The
/// first box ends, and all others begin, where the array has a cache line, if runs consist of cache lines.
struct cpu_boxes {
  std::int64_t rows = 1, between = 1, columns = 1;
  std::int64_t run = 1;           ///< bytes of a run
  std::int64_t part = 1;          ///< bytes of a run that a box has; the first box may have almost a cache line more
  std::int64_t arrays = 1;        ///< arrays of the batch
  std::int64_t array_stride = 0;  ///< bytes from one array to the next
  std::int64_t offset = 0;        ///< bytes from the caller's pointer to the first array
  int threads = 0;                ///< maximum number of threads of a run; 0: no limit besides `set_num_threads`

  std::int64_t runs() const { return rows * between * columns; }
  std::int64_t parts() const { return ceil_div(run, part); }  ///< boxes of an array
  std::int64_t tasks() const { return arrays * parts(); }     ///< boxes of all arrays
  std::int64_t bytes() const { return arrays * runs() * run; }
  /// Bytes from one run to the next in a thread's memory.
  std::int64_t pitch() const { return round_up(part + kCacheLine - 1, kCacheLine); }
  std::int64_t memory_bytes() const { return runs() * pitch(); }  ///< bytes of a thread's memory
};

/// Plans an exchange as boxes. `offset` counts elements from the caller's pointer to the array. Empty if the parts of runs would
/// be shorter than a cache line.
std::optional<cpu_boxes> plan_cpu_boxes(exchange const& groups, std::int64_t element_size, std::int64_t offset, int threads);

std::string describe(cpu_boxes const& plan);

}  // namespace cornerturn
