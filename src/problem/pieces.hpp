#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// A part of a problem that is moved in three steps: `pack` copies the part's source, in its order, into a dense buffer; `move`
/// permutes this buffer into a second dense buffer; `unpack` copies the second buffer to the destination. All three problems are
/// canonical.
struct piece {
  std::int64_t index = 0;  ///< position in the list of pieces
  problem pack, move, unpack;
  std::int64_t packed_bytes = 0, moved_bytes = 0;  ///< sizes of the first and the second buffer
};

/// The pieces of a canonical problem, in the destination's order. The first piece is the largest.
class piece_list {
 public:
  piece_list(problem canonical, std::vector<std::int64_t> extents);

  std::int64_t size() const { return size_; }
  piece operator[](std::int64_t index) const;

 private:
  std::int64_t parts(std::size_t mode) const;

  problem whole_;
  std::vector<std::int64_t> extents_;  ///< extents of a piece; the last piece along a mode may have fewer indices
  std::int64_t size_ = 1;
};

/// Cuts a canonical problem into pieces of at most `most_bytes` bytes, but at least one element. The extents keep the contiguous
/// runs on both sides as long as possible.
piece_list pieces_of(problem const& canonical, std::int64_t most_bytes);

/// The size of a piece in bytes, such that `buffers` buffers of this size take half of a GPU's free memory. Throws `error` of
/// kind memory if pieces would have less than 1 MiB and less than the whole problem: starting copies and kernels would take
/// longer than moving the bytes.
std::int64_t room_for_piece(problem const& canonical, std::int64_t free_bytes, std::int64_t buffers);

}  // namespace cornerturn
