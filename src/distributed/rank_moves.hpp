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

/// How messages are divided into pieces, which are messages of their own; by default they are not. It is the same on all ranks.
struct division {
  /// Bytes. Messages start in sqrt(n / unit) batches, where n is the mean number of bytes that a rank sends. A message is divided
  /// into at most one piece per batch, of about two units or more.
  std::int64_t unit = std::numeric_limits<std::int64_t>::max();
  /// Bytes. If a message is made of contiguous runs of at least `run` bytes in the sender's or the receiver's block, each run
  /// becomes a message of its own. That rank then needs no packing. The other rank copies all runs at once.
  std::int64_t run = std::numeric_limits<std::int64_t>::max();
};

/// The division of messages between GPUs. A rank that sends 4 GiB has 8 batches; with less than 256 MiB it has one.
constexpr division kInBatches{.unit = 64 << 20};

/// The division of messages in host memory. Copying a shorter run takes about as long as sending it by itself.
constexpr division kInRuns{.run = 512 << 10};

/// Messages of one direction, batch after batch.
struct messages {
  std::vector<message> all;
  std::vector<std::size_t> ends;  ///< batch i ends before message ends[i]
  /// copies[i] packs or unpacks message i, whose first byte is at offset 0; empty if the message is direct. If a block has
  /// several runs, the first run that is sent, or the last run that is received, has the copy of all.
  std::vector<std::optional<problem>> copies;
  std::vector<problem> writes;  ///< sends only: writes[i] moves message i from the rank's block to the peer's
  std::int64_t buffer_bytes = 0;
};

/// The part of one rank in a permutation.
struct rank_moves {
  int rank, ranks;
  std::vector<range> source_block;               ///< the rank's indices of the source, one range per mode
  std::vector<std::int64_t> destination_shape;   ///< the shape of the rank's block
  std::int64_t source_bytes, destination_bytes;  ///< the sizes of the rank's blocks
  messages sends, receives;
  std::vector<batch> batches;
  problem kept;                     ///< from the rank's block of the source to its block of the destination
  std::vector<problem> kept_parts;  ///< the same in about one part per batch; none if nothing stays
  std::int64_t bytes_kept = 0;      ///< counted with the size of a message's elements

  std::int64_t receive_offset() const;  ///< bytes from the start of the workspace to the buffer of received messages
  std::int64_t workspace_bytes() const { return receive_offset() + receives.buffer_bytes; }
};

/// The box of these indices, a range per mode.
box box_of(std::span<range const> indices);

/// Throws `error` for a rank outside the grid.
void expect_rank(sharded_permutation const& all, std::int64_t rank);

/// The part of a rank. All ranks pass the same division. The buffers are largest if messages are whole. Throws `error` for a rank
/// outside the grid.
rank_moves moves_of(sharded_permutation const& all, std::int64_t rank, division const& by = {});

}  // namespace cornerturn::distributed
