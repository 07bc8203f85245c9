#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/boxes/plan.hpp"

namespace cornerturn::cpu {

/// Permutes the runs of the boxes `first` to `end - 1` of a plan, by way of `memory`, which has `memory_bytes()` bytes and begins
/// with a cache line. `end` is at most `tasks()`.
void move_boxes(cpu_boxes const& plan, std::byte* data, std::int64_t first, std::int64_t end, std::byte* memory);

}  // namespace cornerturn::cpu
