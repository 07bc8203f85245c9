#pragma once

#include "cornerturn/cxx20.hpp"

#include <functional>

namespace cornerturn {

/// Threads that a program has already, e.g. of OpenMP or TBB, for plans that run on the CPU. They take the place of the library's.
struct worker_threads {
  /// Calls part(0) to part(count - 1), each once, on any threads and in any order, and returns when all of them have returned.
  /// `part` throws nothing.
  std::function<void(int count, std::function<void(int)> const& part)> parallel_for;
  int count = 1;  ///< the maximum number of parts
};

}  // namespace cornerturn
