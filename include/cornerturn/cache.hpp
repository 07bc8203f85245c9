#pragma once

#include <cstddef>
#include <cstdint>

#include "cornerturn/export.h"

namespace cornerturn {

/// What the cache of plans behind `transpose`, `permute` and `strided_copy` holds, and how often it was asked.
struct cache_counters {
  std::uint64_t hits = 0, misses = 0;     ///< of calls since the process began, or since `cache_clear`
  std::size_t entries = 0, capacity = 0;  ///< plans; beyond the capacity, or 64 MiB of them, the one not used for longest goes
};

/// One cache serves all threads of the process.
CORNERTURN_API cache_counters cache_info();

/// Forgets all plans and sets the counters to 0, so that plans are chosen anew, with the measured choices that are then in the
/// user's cache directory. Plans that are in use stay what they are.
CORNERTURN_API void cache_clear();

}  // namespace cornerturn
