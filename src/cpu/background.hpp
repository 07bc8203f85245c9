#pragma once

#include <functional>
#include <stop_token>
#include <thread>

namespace cornerturn::cpu {

/// Starts `body`, which must not throw, on a thread of its own, since it may wait for a disk. If no thread can be started, the
/// caller's thread calls `body`, and the result is no thread.
std::jthread run_in_background(std::function<void(std::stop_token const&)> const& body);

}  // namespace cornerturn::cpu
