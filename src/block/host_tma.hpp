#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "block/tensor_map.hpp"

namespace cornerturn {

/// One box that TMA copies between global and shared memory.
struct box_copy {
  tensor_map map;
  std::byte* box;                ///< address of the box in shared memory
  std::byte* shared;             ///< address of the block's shared memory, from which the swizzle counts
  std::int64_t col, row, batch;  ///< first element, row and matrix of the box

  void load() const;   ///< copies the box to shared memory, with zeros outside the matrix
  void store() const;  ///< copies the part of the box inside the matrix to global memory
};

/// One row of bytes that cp.async.bulk copies to shared memory.
struct row_copy {
  char const* from;
  char* to;
  int bytes;
};

/// Bytes of row `row` of a box that lie within the matrix, when the box begins at (col, row) of matrix `batch`.
int bytes_within(tensor_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch);
/// The address of an element in global memory.
std::byte* address_in(tensor_map const& map, std::int64_t col, std::int64_t row, std::int64_t batch);

/// Emulates TMA for a block on the host. Each copy takes place as late as the hardware may do it. A program that reads or
/// overwrites shared memory too early is therefore wrong on the host as well.
class host_tma {
 public:
  /// A barrier whose phase completes after the arrival, when no bytes are pending.
  struct mbarrier {
    int pending_bytes = 0;     ///< bytes that have been requested and not yet copied (the tx-count)
    std::int16_t phase = 0;    ///< parity of the current phase, 0 or 1
    bool has_arrived = false;  ///< true once the arrival that the current phase expects has taken place
  };
  static_assert(sizeof(mbarrier) <= kBarrierBytes);

  void bulk_copy(mbarrier& arrived, row_copy const& each);
  void load(mbarrier& arrived, box_copy const& each) { loads_.push_back({&arrived, each}); }
  void complete(mbarrier& arrived);  ///< makes the copies that this mbarrier counts
  void store(box_copy const& each) { open_.push_back(each); }
  void commit_group() { groups_.push_back(std::exchange(open_, {})); }
  void wait_group_read(std::size_t pending);  ///< makes the stores of all groups but the last `pending`
  bool idle() const { return rows_.empty() && loads_.empty() && open_.empty() && groups_.empty(); }

 private:
  std::vector<std::pair<mbarrier*, row_copy>> rows_;
  std::vector<std::pair<mbarrier*, box_copy>> loads_;
  std::vector<box_copy> open_;  ///< stores that belong to no group yet
  std::deque<std::vector<box_copy>> groups_;
};

}  // namespace cornerturn
