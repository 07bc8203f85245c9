#pragma once

#include <cstdio>
#include <exception>

namespace cornerturn {

/// Runs the body of a function of C that returns no status. What it throws becomes one line on standard error.
template <class Body>
void call_from_c(char const* name, Body const& body) noexcept {
  try {
    body();
  } catch (std::exception const& e) {
    std::fprintf(stderr, "cornerturn: %s: %s\n", name, e.what());
  }
}

}  // namespace cornerturn
