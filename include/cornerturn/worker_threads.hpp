#pragma once

#include "cornerturn/cxx20.hpp"

#include <functional>

namespace cornerturn {

/// Threads that a program has already, e.g. of OpenMP or TBB, for plans that run on the CPU. They take the place of the library's.
///
/// ```cpp
/// cornerturn::worker_threads const alone{.parallel_for =
///                                            [](int count, std::function<void(int)> const& part) {
///                                              for (int i = 0; i < count; ++i) part(i);
///                                            },
///                                        .count = 2};
/// auto const plan = cornerturn::plan_permute({1000, 1000}, {1, 0}, 4, {.processor = cornerturn::processor_kind::cpu});
/// std::vector<float> source(1000 * 1000, 2), destination(source.size());
/// plan.run_on(alone, source.data(), destination.data());
/// ```
struct worker_threads {
  /// Calls part(0) to part(count - 1), each once, on any threads and in any order, and returns when all of them have returned.
  /// `part` throws nothing.
  std::function<void(int count, std::function<void(int)> const& part)> parallel_for;
  int count = 1;  ///< the maximum number of parts
};

}  // namespace cornerturn
