#pragma once

#include <functional>

#include "cornerturn/worker_threads.hpp"

namespace cornerturn::cpu {

/// Calls body(0) to body(count - 1) on threads of the caller. Returns when all calls have ended; of the exceptions that they
/// throw, the first passes through, as do those of the workers. Throws `error` if the workers have not called each part once.
void parallel_for(worker_threads const& workers, int count, std::function<void(int)> const& body);

}  // namespace cornerturn::cpu
