#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cpu/convert/plan.hpp"
#include "cpu/run.hpp"

namespace cornerturn::cpu {

/// Bytes of memory that `convert_boxes` needs, aligned to a cache line.
std::int64_t convert_memory(cpu_convert const& plan);

/// A share of a plan's boxes, and the memory that moving it needs.
struct convert_share {
  std::byte const* source;          ///< the caller's pointer
  std::byte* destination;           ///< the caller's pointer
  std::int64_t first = 0, end = 0;  ///< boxes, numbered in the order of the plan's loops
  std::byte* memory;                ///< convert_memory(plan) bytes, aligned to a cache line
  /// Called with the bytes of each box that was moved; the share ends if it returns false or throws.
  std::function<bool(std::int64_t)> const& report;
};

/// Moves and changes a share of the boxes.
void convert_boxes(cpu_convert const& plan, convert_share const& share);

void run(cpu_convert const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cornerturn::cpu
