#pragma once

#include "cornerturn/cxx20.hpp"

namespace cornerturn {

/// The processor that does the work. `automatic` follows the pointers: the GPU moves device memory, the CPU moves host memory.
/// Plans have no pointers yet: for them, `automatic` is the GPU if one can be used, else the CPU. A one-shot call with host
/// memory and `gpu` copies the data to the current GPU and back in pieces, and returns when the result is complete.
enum class processor_kind { automatic, cpu, gpu };

}  // namespace cornerturn
