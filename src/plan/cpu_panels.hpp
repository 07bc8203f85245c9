#pragma once

#include <cstdint>
#include <string>

#include "plan/cpu_plan.hpp"
#include "problem/panels.hpp"

namespace cornerturn {

/// How the CPU changes panels in place. A thread copies a panel to memory of its own, then writes its slots back transposed.
/// Threads take panels in order. If panels are shifted, a thread waits before it writes a panel until the panels before it, whose
/// memory it overwrites, have been read.
struct cpu_panels {
  cpu_plan copy, transpose;                                ///< from a panel to a thread's memory, and back
  std::int64_t count = 1;                                  ///< panels of an array of the batch
  std::int64_t arrays = 1;                                 ///< arrays of the batch
  std::int64_t array_stride = 0;                           ///< bytes from one array to the next
  std::int64_t source_stride = 0, destination_stride = 0;  ///< bytes from one panel to the next, before and after
  std::int64_t panel_bytes = 0;                            ///< bytes that move within a panel, and of a thread's memory
  std::int64_t read_before = 0;  ///< panels before each one that must have been read before it is written
  bool is_descending = false;    ///< true if the last panel is moved first
  std::string shape;             ///< for `describe`

  std::int64_t tasks() const { return arrays * count; }         ///< panels of all arrays
  std::int64_t bytes() const { return tasks() * panel_bytes; }  ///< bytes that move in all panels
};

/// Plans panels whose bytes can be counted in 64 bits.
cpu_panels plan_cpu_panels(panels const& all, int threads = 0);

std::string describe(cpu_panels const& plan);

}  // namespace cornerturn
