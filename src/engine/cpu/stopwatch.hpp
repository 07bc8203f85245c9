#pragma once

#include "plan/measure.hpp"
#include "problem/validate.hpp"

namespace cornerturn::cpu {

/// Makes a stopwatch on this processor. It has memory of its own for the bytes that a problem reads and writes, whose contents
/// mean nothing, for as long as it lives. Of a large problem it times as many tiles as are read from memory and written to
/// memory. Throws `error` of kind memory if there are not enough addresses.
stopwatch make_stopwatch(byte_range const& read, byte_range const& written);

}  // namespace cornerturn::cpu
