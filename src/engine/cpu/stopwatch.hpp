#pragma once

#include "measure/candidates.hpp"
#include "problem/validate.hpp"

namespace cornerturn::cpu {

/// Makes a stopwatch on this processor. It owns memory for the bytes that a problem reads and writes, with arbitrary contents. If
/// a problem is large, it times some of the tiles, which are too large for the caches. Throws `error` of kind memory if there are
/// not enough addresses.
stopwatch make_stopwatch(byte_range const& read, byte_range const& written);

}  // namespace cornerturn::cpu
