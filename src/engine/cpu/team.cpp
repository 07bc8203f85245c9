#include "engine/cpu/team.hpp"

#include <exception>
#include <mutex>
#include <system_error>
#include <vector>

namespace cornerturn::cpu {

void on_threads(int count, std::function<void(int)> const& body) {
  std::mutex mutex;
  std::exception_ptr first;
  auto const part = [&](int index) noexcept {
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
      for (; started < count; ++started) others.emplace_back(part, started);
    } catch (std::system_error const&) {  // the system has no thread left
    }
    part(0);
    for (int index = started; index < count; ++index) part(index);
  }
  if (first) std::rethrow_exception(first);
}

std::jthread beside(std::function<void(std::stop_token const&)> const& body) {
  try {
    return std::jthread(body);
  } catch (std::system_error const&) {
    body({});
    return {};
  }
}

}  // namespace cornerturn::cpu
