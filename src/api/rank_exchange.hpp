#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/agreement.hpp"
#include "distributed/exchange.hpp"
#include "distributed/written_parts.hpp"
#include "engine/gpu/peer_copies.hpp"

namespace cornerturn::distributed {

/// A `rank_plan` refers to one.
struct rank_exchange {
  exchange whole;       ///< with one message for each peer
  exchange in_batches;  ///< for messages between GPUs
  description given;
  std::vector<digest> digests;
};

/// Copies between the offsets of a problem.
void copy(problem const& each, void const* source, void* destination, copy_options const& options);

/// Writes the messages of a rank into the blocks of its peers, and moves what stays on it. A GPU that is not capturing packs
/// large messages whose rows are long into buffers, from which its copy engines write faster than kernels do, while kernels move
/// what stays.
class rank_writes {
 public:
  /// `peers` has the destination of the peer of each message.
  rank_writes(exchange const& of, void const* source, void* destination, std::span<void* const> peers,
              copy_options const& options);

  std::size_t parts() const { return parts_.size(); }
  void start(std::size_t part);

  /// Makes later work on the rank's stream wait for all parts that were started.
  void join();

 private:
  void const* source_;
  void* destination_;
  std::span<void* const> peers_;
  copy_options options_;
  std::vector<written_part> parts_;
  std::optional<gpu::peer_copies> copies_;
};

}  // namespace cornerturn::distributed
