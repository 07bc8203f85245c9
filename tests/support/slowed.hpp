#pragma once

#include "support/sanitized.hpp"

namespace cornerturn::test {

/// True if the program is sanitized or emulated. Then long tests have fewer cases.
inline bool is_slowed() {
#if defined(CORNERTURN_EMULATED)
  return true;
#else
  return is_sanitized();
#endif
}

/// Why a slowed program skips the tests of threads in a child after fork.
inline constexpr char kForkedThreads[] = "what a sanitizer or an emulator keeps of other threads is broken in the child";

}  // namespace cornerturn::test
