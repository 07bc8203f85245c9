#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "block/box.hpp"

namespace cornerturn {

/// One box between global and shared memory.
struct box_move {
  box_map map;
  std::byte* box;     ///< in shared memory
  std::byte* shared;  ///< where shared memory begins; the swizzle counts from there
  std::int64_t col, row, batch;

  void load() const;   ///< what lies outside the matrix becomes zeros
  void store() const;  ///< what lies outside the matrix is left out, but for the rest of a row's last 16 bytes
};

/// A row of bytes on its way to shared memory.
struct row_fetch {
  char const* from;
  char* to;
  int bytes;
};

/// Bytes of row `row` of a box that lie within the matrix, when the box begins at (col, row) of matrix `batch`.
int bytes_within(box_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch);
/// The address of an element in global memory.
std::byte* address_in(box_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch);

/// What TMA does for a block on the host. Boxes and rows move as late as the hardware may move them, so that a program which
/// reads or overwrites shared memory too early gives wrong results here as well.
class boxes_in_flight {
 public:
  /// What TMA counts bytes by; its phase turns when no more are expected and all that were have arrived.
  struct barrier {
    int missing = 0;
    std::int16_t phase = 0;
    bool complete = false;  ///< no more are expected in this phase
  };
  static_assert(sizeof(barrier) <= kBarrierBytes);

  void fetch(barrier& arrived, row_fetch const& each);
  void load(barrier& arrived, box_move const& each) { loads_.push_back({&arrived, each}); }
  void arrive(barrier& arrived);  ///< moves the loads and rows that this barrier counts
  void store(box_move const& each) { open_.push_back(each); }
  void close_group() { groups_.push_back(std::exchange(open_, {})); }
  void leave(std::size_t pending);  ///< moves the stores of all groups but the last `pending`
  bool none() const { return rows_.empty() && loads_.empty() && open_.empty() && groups_.empty(); }

 private:
  std::vector<std::pair<barrier*, row_fetch>> rows_;
  std::vector<std::pair<barrier*, box_move>> loads_;
  std::vector<box_move> open_;
  std::deque<std::vector<box_move>> groups_;
};

}  // namespace cornerturn
