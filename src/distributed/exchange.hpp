#pragma once

#include <cstdint>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/peers.hpp"
#include "problem/problem.hpp"

namespace cornerturn::distributed {

/// Messages of one direction, with the problem that packs or unpacks each, between the block and the message's first byte. The
/// problem of a direct message is empty.
struct messages {
  std::vector<message> all;
  std::vector<problem> copies;
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
  std::vector<problem> writes;  ///< one per message of `sends`: from the rank's block to the peer's block of the destination
  problem kept;                 ///< from the rank's block of the source to that of the destination
  std::int64_t bytes_kept = 0;

  std::int64_t receive_offset() const;  ///< in bytes: the buffer of received messages begins there in the workspace
  std::int64_t workspace_bytes() const { return receive_offset() + receives.buffer_bytes; }
};

/// The part of a rank. Throws `error` for a rank outside the grid.
exchange exchange_of(sharded_permutation const& all, std::int64_t rank);

}  // namespace cornerturn::distributed
