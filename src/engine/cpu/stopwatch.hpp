#pragma once

#include "measure/candidates.hpp"
#include "problem/validate.hpp"

namespace cornerturn::cpu {

/// Makes a stopwatch on this processor. It owns memory for the bytes that a problem reads and writes, with arbitrary contents. If
/// a problem is large, it times a part of the tiles, whose bytes exceed the caches. Throws `error` of kind memory if there are
/// not enough addresses.
stopwatch make_stopwatch(byte_range const& read, byte_range const& written);

}  // namespace cornerturn::cpu
