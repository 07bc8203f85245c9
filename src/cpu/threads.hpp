#pragma once

namespace cornerturn::cpu {

/// The number of threads for a large problem: the number that `set_num_threads` set, else the number of processors that the
/// calling thread may use by its present affinity and by the quota that its control group had at first. A call may have a `limit`
/// of its own; 0 means none.
int thread_count(int limit = 0);

/// The number of processors that the calling thread may use by its present affinity.
int usable_processors();

/// The number of processors whose time the process's control groups granted at first; a huge number if they set no limit.
double granted_processors();

}  // namespace cornerturn::cpu
