#pragma once

#include "problem/validate.hpp"

namespace cornerturn {

/// True if the CPU can read the 8 bytes, aligned to 8, around an address. Takes about 0.1 us and never faults.
bool is_readable(void const* pointer);

/// True if the CPU can read around the first and the last byte of a range that is not empty.
bool is_readable(void const* pointer, byte_range const& range);

}  // namespace cornerturn
