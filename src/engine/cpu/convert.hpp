#pragma once

#include <cstddef>
#include <cstdint>

#include "plan/cpu_convert.hpp"

namespace cornerturn::cpu {

/// Bytes of memory that `convert_boxes` needs, aligned to a cache line.
std::int64_t convert_memory(cpu_convert const& plan);

/// Moves and changes the boxes from `first` to `end`. The pointers are the caller's.
void convert_boxes(cpu_convert const& plan, std::byte const* source, std::byte* destination, std::int64_t first, std::int64_t end,
                   std::byte* memory);

}  // namespace cornerturn::cpu
