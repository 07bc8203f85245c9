#pragma once

#include "plan/measure.hpp"
#include "problem/validate.hpp"

namespace cornerturn::cpu {

/// A stopwatch on this processor, between memory of its own for the bytes that a problem reads and writes; that lives as long as
/// it does, and its contents mean nothing. Of large problems it times a part: so many tiles that they are read from memory and
/// written there, and no more. Throws `error` of kind device where there are not enough addresses.
stopwatch make_stopwatch(byte_range const& read, byte_range const& written);

}  // namespace cornerturn::cpu
