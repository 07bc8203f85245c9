#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace cornerturn::cpu {

/// Calls body(0) on the caller's thread and body(1) to body(count - 1) on threads of their own, which live no longer than the
/// call: a child after fork lacks none of them. Where one cannot be started, the caller does its part as well. Returns when all
/// have ended; of what they throw, the first passes through.
void on_threads(int count, std::function<void(int)> const& body);

/// Begins `body`, which throws nothing, on a thread. Where none can be started, the caller does it, and what is returned is none.
std::jthread beside(std::function<void(std::stop_token const&)> const& body);

}  // namespace cornerturn::cpu
