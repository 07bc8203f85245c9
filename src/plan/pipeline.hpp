#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>

#include "problem/pieces.hpp"

namespace cornerturn {

/// Moves pieces through three stages, which are called as `stage(piece, slot)` on the caller's thread: `pack`, `move`, `unpack`.
/// A slot holds the buffers of one piece and is constructed from the largest piece. There are `depth` slots, or one per piece if
/// there are fewer pieces.
///
/// A piece stays in its slot from `pack` until `unpack`, which is called when the slot is needed for another piece. So `move` may
/// start asynchronous work for which `unpack` waits; meanwhile other pieces are packed, moved and unpacked in the other slots.
/// Each stage is called for the pieces in their order.
///
/// An exception of a stage ends the work: no more stages are called, the slots are destroyed, and the exception passes through. A
/// slot's destructor waits for the work that `move` has started in the slot.
template <class Slot, class Pack, class Move, class Unpack>
void run_pipeline(piece_list const& pieces, std::int64_t depth, Pack const& pack, Move const& move, Unpack const& unpack) {
  std::deque<std::pair<Slot, piece>> slots;  // a deque, because slots need not be movable
  while (std::ssize(slots) < std::min(depth, pieces.size())) slots.emplace_back(pieces[0], pieces[0]);
  for (std::int64_t i = 0, in_flight = std::ssize(slots); i < pieces.size() + in_flight; ++i) {
    auto& [slot, each] = slots[std::size_t(i % in_flight)];
    if (i >= in_flight) unpack(each, slot);
    if (i >= pieces.size()) continue;
    each = pieces[i];
    pack(each, slot);
    move(each, slot);
  }
}

}  // namespace cornerturn
