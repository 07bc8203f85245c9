#pragma once

#include <cstdint>
#include <limits>

#include "cpu/tiles/plan.hpp"
#include "support/guarded.hpp"

namespace cornerturn::test {

/// The hint `cached` of results that all stay in the caches, however large.
constexpr std::int64_t kNeverStreams = std::numeric_limits<std::int64_t>::max();

/// Moves a problem by a plan of the CPU's in equal shares, one after another, and fails if a byte of the result is wrong. Both
/// arrays end or begin at a page that must not be touched, and the image's memory ends at another; without `has_image` there is
/// no such memory. Of arrays that end at a page the last share is moved first: a share must not write what belongs to another.
void check_tiles(problem const& p, cpu_plan const& plan, int shares, guarded::beside where, bool has_image = true);

}  // namespace cornerturn::test
