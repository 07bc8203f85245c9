#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn {

/// A part of a problem that is moved on its own, in three steps: `pack` gathers what it reads, in the source's order, into a
/// dense buffer; `move` permutes that into another; `unpack` puts this one where it belongs, and writes nothing else. All three
/// are canonical.
struct piece {
  std::int64_t index = 0;  ///< position in the list of pieces
  problem pack, move, unpack;
  std::int64_t packed_bytes = 0, moved_bytes = 0;  ///< of the two buffers
};

/// The pieces of a canonical problem, in the order in which they lie in the destination. None is larger than the first.
class piece_list {
 public:
  piece_list(problem canonical, std::vector<std::int64_t> extents);

  std::int64_t size() const { return size_; }
  piece operator[](std::int64_t index) const;

 private:
  std::int64_t parts(std::size_t mode) const;

  problem whole_;
  std::vector<std::int64_t> extents_;  ///< of a piece, unless it is at an end of the mode
  std::int64_t size_ = 1;
};

/// Cuts a canonical problem into pieces of no more bytes than given, but one element at least, such that the runs which are
/// copied at once stay as long as they can on both sides.
piece_list pieces_of(problem const& canonical, std::int64_t most_bytes);

/// The most bytes of a piece of a canonical problem where so many buffers of that size are to take half of a GPU's free memory.
/// Throws `error` of kind device where pieces would have less than 1 MiB without being the whole: it would take longer to start
/// copies and kernels on them than to move them.
std::int64_t room_for_piece(problem const& canonical, std::int64_t free_bytes, std::int64_t buffers);

}  // namespace cornerturn
