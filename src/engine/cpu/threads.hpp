#pragma once

namespace cornerturn::cpu {

/// How many threads a large problem gets: what was set, else the processors that the calling thread may use, by its affinity now
/// and by the quota that its control group had at first.
int thread_count();

/// 0: as many as the process may use. Expects no negative number.
void set_thread_count(int threads);

}  // namespace cornerturn::cpu
