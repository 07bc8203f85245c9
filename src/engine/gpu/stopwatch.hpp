#pragma once

#include "measure/candidates.hpp"
#include "problem/validate.hpp"

namespace cornerturn::gpu {

/// A stopwatch on a device, between buffers of its own for the bytes that a problem reads and writes, no better aligned than
/// given. They live as long as it does; their contents mean nothing. Throws `error` of kind device where they find no room.
stopwatch make_stopwatch(int device, byte_range const& read, byte_range const& written, alignment const& aligned);

}  // namespace cornerturn::gpu
