#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/peers.hpp"
#include "problem/problem.hpp"

namespace cornerturn::distributed {

/// How messages are divided into pieces, which are messages of their own. By default they are whole. It is the same on all ranks.
struct division {
  /// Messages start in sqrt(n / unit) batches, where n is the number of bytes that a rank sends if all ranks send as many. A
  /// message is divided into at most one piece for each batch, of about two units or more.
  std::int64_t unit = std::numeric_limits<std::int64_t>::max();
  /// A message that the block of one of its ranks has in contiguous runs of so many bytes or more is divided into these, so that
  /// the rank sends or receives them in their places. The other rank copies all of them at once.
  std::int64_t run = std::numeric_limits<std::int64_t>::max();
};

/// The division of messages between GPUs. A rank that sends 4 GiB does so in 8 batches, and one that sends less than 256 MiB in
/// one batch.
constexpr division kInBatches{.unit = 64 << 20};

/// The division of messages in host memory. A shorter run hardly takes less time to copy than to send by itself.
constexpr division kInRuns{.run = 512 << 10};

/// Messages of one direction, batch after batch.
struct messages {
  std::vector<message> all;
  std::vector<std::size_t> ends;  ///< batch i ends before message ends[i]
  /// copies[i] packs or unpacks message i, whose first byte is at offset 0. None for a direct one. For several runs of a block the
  /// copy of all belongs to the first one that is sent, or to the last one that is received.
  std::vector<std::optional<problem>> copies;
  std::vector<problem> writes;  ///< writes[i] moves message i from the rank's block to the peer's; none for messages received
  std::int64_t buffer_bytes = 0;
};

/// The part of one rank in a permutation.
struct exchange {
  int rank, ranks;
  std::vector<range> source_block;               ///< the rank's indices of the source, one range per mode
  std::vector<std::int64_t> destination_shape;   ///< the shape of the rank's block
  std::int64_t source_bytes, destination_bytes;  ///< the sizes of the rank's blocks
  messages sends, receives;
  std::vector<batch> batches;
  problem kept;                     ///< from the rank's block of the source to that of the destination
  std::vector<problem> kept_parts;  ///< the same in about as many parts as there are batches; none if nothing stays
  std::int64_t bytes_kept = 0;      ///< counted with the size of a message's elements

  std::int64_t receive_offset() const;  ///< in bytes: the buffer of received messages begins there in the workspace
  std::int64_t workspace_bytes() const { return receive_offset() + receives.buffer_bytes; }
};

/// Throws `error` for a rank outside the grid.
void expect_rank(sharded_permutation const& all, std::int64_t rank);

/// The part of a rank. All ranks pass the same division. The buffers are largest if messages are whole. Throws `error` for a rank
/// outside the grid.
exchange exchange_of(sharded_permutation const& all, std::int64_t rank, division const& by = {});

}  // namespace cornerturn::distributed
