#include "cpu/parallel_for.hpp"

#include <system_error>
#include <vector>

namespace cornerturn::cpu {

void first_exception::keep_from(std::function<void(int)> const& body, int index) noexcept {
  try {
    body(index);
  } catch (...) {
    std::lock_guard const lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
}

void first_exception::rethrow() const {
  if (first_) std::rethrow_exception(first_);
}

void parallel_for(int count, std::function<void(int)> const& body) {
  first_exception thrown;
  auto const call = [&](int index) { thrown.keep_from(body, index); };

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
  thrown.rethrow();
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
