#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/cpu_boxes.hpp"

namespace cornerturn::cpu {

/// Permutes the runs of one box of a plan, a number below `tasks()`, by way of `memory`, which has `memory_bytes()` bytes and
/// begins with a cache line. The plan's offset counts from `data`.
void move_box(cpu_boxes const& plan, std::byte* data, std::int64_t number, std::byte* memory);

}  // namespace cornerturn::cpu
