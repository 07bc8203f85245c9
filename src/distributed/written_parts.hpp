#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "distributed/exchange.hpp"
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

/// A part of what a rank moves if it writes into the blocks of its peers.
struct written_part {
  static constexpr std::size_t kKept = std::size_t(-1);

  problem copy;              ///< from the rank's block of the source to the peer's block of the destination, or to the rank's own
  std::size_t send = kKept;  ///< the number of the message that it belongs to; kKept: it stays on the rank
  /// The same elements through a buffer: for a part of a divided message that the peer's block has in long rows.
  std::optional<staged_copy> staged = {};
};

/// Divides a problem into equal parts and a rest, none larger than one of `count` equal parts, along its first mode that is long
/// enough, or else along its longest one, where parts may be larger. If that mode is contiguous on one side, each part but the
/// last one has a multiple of 64 of its indices, so that parts are as aligned as the whole.
std::vector<problem> divided(problem const& whole, std::int64_t count);

/// What stays on a rank, in about `count` parts, or in fewer if it has few bytes. Empty if nothing stays.
std::vector<problem> kept_parts(exchange const& of, std::int64_t count);

/// The messages of a rank, those of more than `part_bytes` in parts that are no larger, each followed by a part of what stays. If
/// no message is divided, what stays comes last.
std::vector<written_part> written_parts(exchange const& of, std::int64_t part_bytes);

}  // namespace cornerturn::distributed
