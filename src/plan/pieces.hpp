#pragma once

#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// A part of a problem between host arrays that a GPU moves on its own, in three steps: `pack` gathers what it reads, in the
/// source's order, into a dense buffer; `move` permutes that into another; `unpack` puts this one where it belongs, and writes
/// nothing else. All three are canonical.
struct piece {
  problem pack, move, unpack;
  std::int64_t packed_bytes = 0, moved_bytes = 0;  ///< of the two buffers
};

/// Cuts a canonical problem into pieces of no more bytes than given, but one element at least, such that the runs which a host
/// copies at once stay as long as they can on both sides.
std::vector<piece> pieces_of(problem const& canonical, std::int64_t most_bytes);

}  // namespace cornerturn
