#pragma once

namespace cornerturn::cpu {

/// How many threads a large problem gets: what was set, else the processors that the calling thread may use, by its affinity now
/// and by the quota that its control group had at first.
int thread_count();

/// The processors that the calling thread may use, by its affinity now.
int usable_processors();

/// Processors' worth of time that the process's control groups granted it at first; a huge number where they set no limit.
double granted_processors();

/// 0: as many as the process may use. Expects no negative number.
void set_thread_count(int threads);

}  // namespace cornerturn::cpu
