#pragma once

#include "cornerturn/export.h"

namespace cornerturn {

/// How many threads a call may use that moves host memory, the caller's among them; small arrays stay on the caller's thread. 0,
/// as at first, means one for each processor that the calling thread may use: by its affinity at the time of the call, and by the
/// quota of the process's control group (cgroup v2), which is read once. Holds for the whole process, from the next call on.
///
/// Throws `error` for a negative number.
CORNERTURN_API void set_num_threads(int threads);

/// As many as a call would use at most now.
CORNERTURN_API int num_threads();

}  // namespace cornerturn
