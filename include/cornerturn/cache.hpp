#pragma once

#include "cornerturn/cxx20.hpp"

#include <cstddef>
#include <cstdint>

#include "cornerturn/export.h"

namespace cornerturn {

/// The state of the plan cache that `transpose`, `permute`, `permute_inplace`, `strided_copy` and `quantize` use.
struct cache_counters {
  std::uint64_t hits = 0, misses = 0;     ///< lookups since the process started or since the last `cache_clear`
  std::size_t entries = 0, capacity = 0;  ///< plans; the least recently used plan is evicted beyond `capacity` or beyond 64 MiB
};

/// Returns the counters of the plan cache. All threads of the process share one cache.
///
/// ```cpp
/// std::cout << cornerturn::cache_info().hits << " calls found their plan\n";
/// ```
CORNERTURN_API cache_counters cache_info();

/// Empties the plan cache and sets its counters to 0. Later calls plan anew and read the measured choices in the user's cache
/// directory again. Plans that are running, or that a `permutation_plan` holds, are not affected.
CORNERTURN_API void cache_clear();

}  // namespace cornerturn
