#pragma once

#include <cstdint>

namespace cornerturn::cpu {

/// Bytes that this process might still take without others being swapped out or it being ended: what the system calls available,
/// or the limit of its control group where that is less.
std::int64_t available_memory();

}  // namespace cornerturn::cpu
