#pragma once

#include <fmt/format.h>
#include <pthread.h>

#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <string_view>

#include "cornerturn/error.hpp"

namespace cornerturn {

/// Throws `error` for an argument, with a message like "rows is -3; it must be 0 or more".
template <class Value>
[[noreturn]] void refuse(std::string_view name, Value const& value, std::string_view allowed) {
  throw error(refused_argument{std::string(name), fmt::format("{}", value), std::string(allowed)});
}

/// Runs the body of a function of C that returns no status. An exception becomes one line on standard error. The thread cannot be
/// cancelled before the body has ended, because pthread_cancel would unwind the stack.
template <class Body>
void call_from_c(char const* name, Body const& body) noexcept {
  int cancellable = 0;
  ::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellable);
  try {
    body();
  } catch (std::bad_alloc const&) {
    std::fprintf(stderr, "cornerturn: %s: there is too little memory\n", name);
  } catch (std::exception const& e) {
    std::fprintf(stderr, "cornerturn: %s: %s\n", name, e.what());
  }
  ::pthread_setcancelstate(cancellable, nullptr);
}

}  // namespace cornerturn
