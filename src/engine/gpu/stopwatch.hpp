#pragma once

#include "measure/candidates.hpp"
#include "problem/validate.hpp"

namespace cornerturn::gpu {

/// Makes a stopwatch on a device. It owns buffers for the bytes that a problem reads and writes, with the given alignment and
/// with arbitrary contents. Throws `error` of kind device if there is no room for them.
stopwatch make_stopwatch(int device, byte_range const& read, byte_range const& written, alignment const& aligned);

}  // namespace cornerturn::gpu
