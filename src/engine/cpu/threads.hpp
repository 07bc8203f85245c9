#pragma once

namespace cornerturn::cpu {

/// How many threads a large problem gets: what was set, else the processors that this process may use, by affinity and by the
/// quota of its control group.
int thread_count();

/// 0: as many as the process may use. Expects no negative number.
void set_thread_count(int threads);

}  // namespace cornerturn::cpu
