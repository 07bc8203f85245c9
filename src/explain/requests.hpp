#pragma once

#include <vector>

#include "block/recording.hpp"
#include "block/sizes.hpp"

namespace cornerturn {

/// A request: the accesses of a warp's lanes with the same place in the source code, loop iteration and occurrence. Rows that
/// different threads fetch by TMA are separate requests.
struct request {
  std::int64_t block;
  int warp;
  std::vector<recorded_access> lanes;
  int occurrence = 0;  ///< number of earlier requests of the same warp at the same place

  source_place place() const { return lanes.front().place; }
  memory_space space() const { return lanes.front().space; }
  bool store() const { return lanes.front().store; }
  bool box() const { return lanes.front().box; }
  bool async() const { return lanes.front().async; }
  bool has_matrix_rows() const;
  bool copies_past_l1() const;  ///< a store by cp.async
  int bytes() const { return lanes.front().bytes; }
  int active() const;
  /// The bytes of active lanes; bytes that several lanes access count once.
  std::int64_t bytes_needed() const;
};

/// The requests of a recording, in the order in which their first lanes came.
std::vector<request> requests_of(recording const& record);

/// The aligned pieces of global memory, of `size` bytes each, that a request touches.
struct touched_pieces {
  int all = 0;
  int partial = 0;         ///< pieces that the request does not touch completely
  std::int64_t bytes = 0;  ///< bytes touched, each counted once
};
touched_pieces touched_pieces_of(request const& each, int size);
inline int sectors(request const& each) { return touched_pieces_of(each, kSectorBytes).all; }
/// Sectors that cp.async or TMA reads again: a sector is read once for each piece of shared memory to which a part of it goes.
int split_sectors(request const& each);
/// The sectors that the request's bytes would fill.
int ideal_sectors(request const& each);

/// The group of each lane. Shared memory serves one group after another. Accesses of 4 bytes or less have one group for the whole
/// warp, 8-byte accesses one per half warp, 16-byte accesses one per quarter. A load's groups have twice the lanes if, for every
/// active lane i, lane i^1 is inactive or has the same address; or if this holds for i^2; but not those of ldmatrix.
std::vector<int> groups(request const& each);

/// The wavefront that serves each lane, counted from 0. Lanes with different words of one bank are served in different
/// wavefronts; lanes with the same word share one. What cp.async copies past the L1 cache has a wavefront for each pair of a line
/// of global memory and a line of shared memory, for the sectors of which both halves come from one sector, and one for each way
/// in which other halves of sectors lie.
std::vector<int> wavefront_of_lanes(request const& each);
int wavefronts(request const& each);
/// The wavefronts of the request if it had no bank conflict; what cp.async copies past the L1 cache has the lines of its source,
/// or those that its bytes fill if these are more.
int ideal_wavefronts(request const& each);

}  // namespace cornerturn
