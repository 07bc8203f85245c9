#pragma once

#include <cstdint>

namespace cornerturn {

/// What planning has done. Tests bound these counts, because they do not depend on the machine or on other work, as times do. For
/// the same reason a long search ends by them.
struct planning_work {
  std::int64_t candidates = 0;  ///< plans of a GPU's kernels whose times were compared
  std::int64_t tilings = 0;     ///< shapes of tiles, panels and boxes that were tried, of a GPU or of the CPU
  std::int64_t pieces = 0;      ///< shapes of pieces that were tried
  std::int64_t offsets = 0;     ///< offsets that were written to the CPU's tables, or compared there
  std::int64_t shuffled = 0;    ///< bytes of the CPU's shuffles that were sorted or merged
  std::int64_t cuts = 0;        ///< numbers of parts that were considered to cut rectangles into
  std::int64_t factors = 0;     ///< numbers by which extents were divided to find their divisors
  std::int64_t exchanges = 0;   ///< exchanges of sequences that were planned
  std::int64_t edges = 0;       ///< exchanges that were listed for orders of modes, or followed by a search among them

  bool operator==(planning_work const&) const = default;
};

/// The work of this thread, since it started or since a test set this to zero.
inline thread_local constinit planning_work work_of_planning;

}  // namespace cornerturn
