#pragma once

#include <cstddef>
#include <cstdint>

#include "problem/limited.hpp"

namespace cornerturn::cpu {

/// Copies `count` bytes, whole periods of the swizzle, in the order of `to`: the unit of 16 bytes at offset o comes from offset
/// swizzle(o). A swizzle is its own inverse, so either side may be the swizzled one. If `streams`, units are written past the
/// caches, for which `to` must be aligned to a unit; the caller ends with `end_streams`.
void copy_swizzled(std::byte const* from, std::byte* to, std::int64_t count, offset_swizzle const& swizzle, bool streams);

}  // namespace cornerturn::cpu
