#pragma once

#include <cornerturn/worker_threads.hpp>
#include <functional>
#include <stop_token>
#include <thread>

namespace cornerturn::cpu {

/// Calls body(0) on the caller's thread and body(1) to body(count - 1) on one thread each. These threads end with the call, so
/// that a child after fork lacks none of them. If a thread cannot be started, the caller's thread does its work as well. If
/// `workers` is given, they call `body` instead, and all exceptions of theirs pass through. Returns when all calls have ended; of
/// the exceptions that they throw, the first passes through. Throws `error` if the workers have not called each once.
void parallel_for(int count, std::function<void(int)> const& body, worker_threads const* workers = nullptr);

/// Starts `body`, which must not throw, on a thread. If no thread can be started, the caller's thread calls `body`, and the
/// result is no thread.
std::jthread run_in_background(std::function<void(std::stop_token const&)> const& body);

}  // namespace cornerturn::cpu
