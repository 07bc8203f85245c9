#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "cpu/run.hpp"
#include "cpu/tiles/plan.hpp"
#include "kernel/decisions.hpp"
#include "problem/exchange.hpp"

namespace cornerturn {

/// How the CPU transposes the slots of panels. A thread copies a panel to its own memory, then writes its slots back transposed.
/// Threads take panels in order. Shifted panels overwrite panels before them, so before a thread writes such a panel, it waits
/// until those have been read.
struct cpu_panels {
  static constexpr std::string_view family = "cpu-panels";
  static constexpr int version = 1;

  cpu_plan copy, transpose;                                ///< from a panel to a thread's memory, and from there to a panel
  std::int64_t count = 1;                                  ///< panels of an array of the batch
  std::int64_t arrays = 1;                                 ///< arrays of the batch
  std::int64_t array_stride = 0;                           ///< bytes from one array to the next
  std::int64_t source_stride = 0, destination_stride = 0;  ///< bytes from one panel to the next
  std::int64_t group = 1;                                  ///< panels between which there are no gaps
  std::int64_t source_gap = 0, destination_gap = 0;        ///< bytes between two groups, in addition to the strides
  std::int64_t panel_bytes = 0;                            ///< bytes of a panel
  std::int64_t read_before = 0;                            ///< number of preceding panels that a panel may overwrite
  bool is_descending = false;                              ///< true if the last panel of an array is moved first
  std::string shape;                                       ///< for `describe`

  std::int64_t tasks() const { return arrays * count; }         ///< panels of all arrays
  std::int64_t bytes() const { return tasks() * panel_bytes; }  ///< bytes that move in all panels
  /// Bytes of a thread's memory for a panel, whose rows may be padded.
  std::int64_t memory_bytes() const { return transpose.load.end; }

  auto parameters() const {
    return std::tuple_cat(std::tuple(arrays, count, panel_bytes, group, read_before, is_descending), transpose.parameters());
  }

  static plan_decisions<cpu_panels> decisions();
};

/// Plans panels of at most 2^63 - 1 bytes.
cpu_panels plan_cpu_panels(placed_exchange const& all, cpu_limits const& limits = {});

/// Plans a batch of small dense arrays of one panel as tiles of whole arrays. A tile is read completely into an image before it
/// is written, so the source and the destination may be one array. Returns nothing for other arrays, or if they need another
/// strategy.
std::optional<cpu_plan> plan_cpu_small_panels(placed_exchange const& all, cpu_limits const& limits = {});

std::string describe(cpu_panels const& plan);

namespace cpu {

/// The memory of a plan's threads.
thread_memory thread_memory_of(cpu_panels const& plan, worker_threads const* workers);

/// Runs a plan in place.
void run(cpu_panels const& plan, void const* source, void* destination, run_context const& context);

}  // namespace cpu
}  // namespace cornerturn
