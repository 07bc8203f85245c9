#include "engine/cpu/parallel_for.hpp"

#include <fmt/format.h>

#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

#include "cornerturn/error.hpp"

namespace cornerturn::cpu {
namespace {

/// Calls part(0) on the caller's thread and each other part on a thread that ends with the call.
void start_and_join(int count, std::function<void(int)> const& part) {
  int started = 1;
  std::vector<std::jthread> others;
  others.reserve(std::size_t(count - 1));
  try {
    for (; started < count; ++started) others.emplace_back(part, started);
  } catch (std::system_error const&) {  // the system starts no more threads
  }
  part(0);
  for (int index = started; index < count; ++index) part(index);
}

/// Throws `error` unless the workers call each part once.
void run_on(worker_threads const& workers, int count, std::function<void(int)> const& part) {
  std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
  workers.parallel_for(count, [&](int index) {
    if (index >= 0 && index < count && calls[std::size_t(index)]++ == 0) part(index);
  });
  for (int index = 0; index < count; ++index)
    if (int const times = calls[std::size_t(index)]; times != 1)
      throw error(
          error_kind::argument,
          fmt::format("workers.parallel_for called part {} of {} {} times; it must call each part once", index, count, times));
}

}  // namespace

void parallel_for(int count, std::function<void(int)> const& body, worker_threads const* workers) {
  std::mutex mutex;
  std::exception_ptr first;
  auto const call = [&](int index) noexcept {
    try {
      body(index);
    } catch (...) {
      std::lock_guard const lock(mutex);
      if (!first) first = std::current_exception();
    }
  };

  workers ? run_on(*workers, count, call) : start_and_join(count, call);
  if (first) std::rethrow_exception(first);
}

std::jthread run_in_background(std::function<void(std::stop_token const&)> const& body) {
  try {
    return std::jthread(body);
  } catch (std::system_error const&) {
    body({});
    return {};
  }
}

}  // namespace cornerturn::cpu
