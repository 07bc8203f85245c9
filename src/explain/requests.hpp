#pragma once

#include <vector>

#include "block/recording.hpp"

namespace cornerturn {

inline constexpr int kWarp = 32, kSectorBytes = 32, kLineBytes = 128, kBanks = 32, kBankBytes = 4;

/// What a warp asks of memory at once: the accesses of its lanes that have a place in the source, its turn and its occurrence in
/// common. Rows that several threads fetch by TMA are a request each.
struct request {
  std::int64_t block;
  int warp;
  std::vector<recorded_access> lanes;
  int earlier = 0;  ///< requests of the same warp at the same place

  source_place place() const { return lanes.front().place; }
  memory_space space() const { return lanes.front().space; }
  bool store() const { return lanes.front().store; }
  bool box() const { return lanes.front().box; }
  bool async() const { return lanes.front().async; }
  int bytes() const { return lanes.front().bytes; }
  int active() const;
  std::int64_t bytes_needed() const;
};

/// The requests of a recording, in the order in which their first lanes came.
std::vector<request> requests_of(recording const& record);

/// Pieces of global memory, of `size` bytes each, that a request touches.
struct touched_pieces {
  int all = 0;
  int partly = 0;          ///< of these, those of which it leaves some bytes out
  std::int64_t bytes = 0;  ///< touched, each counted once
};
touched_pieces pieces_of(request const& each, int size);
inline int sectors(request const& each) { return pieces_of(each, kSectorBytes).all; }
/// As few as the bytes would fill.
int ideal_sectors(request const& each);

/// The group of a request's lanes to which each belongs; shared memory serves one group after another. All lanes are one where an
/// access has 4 bytes or less; of 8 bytes the halves of the warp are groups, of 16 bytes its quarters. A load has groups of twice
/// as many lanes if each of the warp's active lanes i has the lane i^1 at its own address or off; or if the same holds with i^2.
std::vector<int> groups(request const& each);

/// The wavefront in which each of a request's lanes is served, counted from 0. Lanes that want different words of one bank wait
/// for each other; lanes that want the same word do not.
std::vector<int> phases(request const& each);
int wavefronts(request const& each);
/// Without conflicts.
int ideal_wavefronts(request const& each);

}  // namespace cornerturn
