#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "distributed/rank_moves.hpp"
#include "problem/problem.hpp"

namespace cornerturn::distributed {

/// Rows of bytes in the block of a peer, which a copy engine fills from a dense buffer.
struct peer_rows {
  std::int64_t offset;  ///< from the block to the first row, in bytes
  std::int64_t bytes;   ///< the size of a row
  std::int64_t pitch;   ///< from one row to the next, in bytes
  std::int64_t count;   ///< the number of rows
};

/// A message that goes through a buffer of its rank.
struct staged_copy {
  problem pack;  ///< from the rank's block of the source to the buffer, which is dense in the order of the peer's block
  peer_rows rows;
};

/// A part of the elements of a rank that writes into the blocks of its peers.
struct written_part {
  static constexpr std::size_t kKept = std::size_t(-1);

  problem copy;              ///< from the rank's block of the source to the peer's block of the destination, or to the rank's own
  std::size_t send = kKept;  ///< the number of the message that it belongs to; kKept: it stays on the rank
  /// The same elements through a buffer, for a part of a divided message that has long rows in the peer's block.
  std::optional<staged_copy> staged = {};
};

/// Divides a problem into equal parts and a smaller last part, none larger than a `count`-th of the problem. It cuts the first
/// mode that is long enough, else the longest mode, and then parts may be larger. If the cut mode is contiguous on one side,
/// parts have a multiple of 64 of its indices, except for the last part, so that they have the alignment of the whole.
std::vector<problem> divided(problem const& whole, std::int64_t count);

/// The elements that stay on a rank, in about `count` parts, or in fewer if they have few bytes. Empty if nothing stays.
std::vector<problem> kept_parts(rank_moves const& of, std::int64_t count);

/// The messages of a rank, in parts of at most `part_bytes` bytes. If a message is divided, each part is followed by a part of
/// the elements that stay. If no message is divided, the elements that stay come last.
std::vector<written_part> written_parts(rank_moves const& of, std::int64_t part_bytes);

}  // namespace cornerturn::distributed
