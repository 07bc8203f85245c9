#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/peers.hpp"
#include "problem/problem.hpp"

namespace cornerturn::distributed {

/// A unit of `exchange_of` with which messages are whole and start in one batch.
constexpr std::int64_t kWholeMessages = std::numeric_limits<std::int64_t>::max();

/// The unit of messages between GPUs, in bytes. A rank that sends 4 GiB does so in 8 batches, and one that sends less than 256
/// MiB in one batch. A piece of a message has about two units or more.
constexpr std::int64_t kBatchUnit = 64 << 20;

/// Messages of one direction, batch after batch.
struct messages {
  std::vector<message> all;
  std::vector<std::size_t> ends;  ///< batch i ends before message ends[i]
  std::vector<problem> copies;  ///< copies[i] packs or unpacks message i, whose first byte is at offset 0; empty if it is direct
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

/// The part of a rank. Messages start in sqrt(n / unit) batches, where n is the number of bytes that a rank sends if all ranks
/// send as many. A large message is divided into at most one piece for each batch, which is a message of its own. All ranks pass
/// the same unit. The buffers do not depend on it. Throws `error` for a rank outside the grid.
exchange exchange_of(sharded_permutation const& all, std::int64_t rank, std::int64_t unit = kWholeMessages);

}  // namespace cornerturn::distributed
