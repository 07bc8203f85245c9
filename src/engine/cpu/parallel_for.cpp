#include "engine/cpu/parallel_for.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

namespace cornerturn::cpu {

void parallel_for(int count, std::function<void(int)> const& body) {
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

  int started = 1;
  {
    std::vector<std::jthread> others;
    others.reserve(std::size_t(count - 1));
    try {
      for (; started < count; ++started) others.emplace_back(call, started);
    } catch (std::system_error const&) {  // the system starts no more threads
    }
    call(0);
    for (int index = started; index < count; ++index) call(index);
  }
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
