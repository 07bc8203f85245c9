#pragma once

#include "cornerturn/cxx20.hpp"

#include "cornerturn/export.h"

namespace cornerturn {

/// Sets the maximum number of threads, including the caller's, that one call uses to move host memory. Small arrays are moved on
/// the caller's thread alone. The default, 0, is the number of processors available to the calling thread: its CPU affinity at
/// the time of the call, limited by the CPU quota of the process's control groups (v1 and v2), which is read once. The setting
/// applies to the whole process, from the next call on. A call may have a lower limit in its options.
///
/// Throws `error` if `threads` is negative.
///
/// ```cpp
/// cornerturn::set_num_threads(4);
/// ```
CORNERTURN_API void set_num_threads(int threads);

/// The maximum number of threads that a call on this thread would use now.
CORNERTURN_API int num_threads();

}  // namespace cornerturn
