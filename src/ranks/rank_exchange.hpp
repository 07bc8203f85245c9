#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/fork_safe_static.hpp"
#include "cornerturn/distributed.hpp"
#include "distributed/agreement.hpp"
#include "engine/gpu/peer_copies.hpp"
#include "ranks/planned_moves.hpp"

namespace cornerturn::distributed {

/// The state of a `rank_plan`. Each form of the rank's part is planned at its first use, because a program needs only one form.
class rank_exchange {
 public:
  rank_exchange(description const& given, int rank) : all(checked(given)), digests(digests_of("run", given)), rank_(rank) {
    expect_rank(all, rank);
  }

  planned_moves const& whole() const { return planned(whole_, {}); }                    ///< with one message for each peer
  planned_moves const& in_runs() const { return planned(in_runs_, kInRuns); }           ///< for messages in host memory
  planned_moves const& in_batches() const { return planned(in_batches_, kInBatches); }  ///< for messages between GPUs

  sharded_permutation const all;
  std::vector<digest> const digests;

 private:
  using form = fork_safe_member<planned_moves>;

  planned_moves const& planned(form& stored, division const& by) const {
    return stored.get([&] { return planned_moves(moves_of(all, rank_, by)); });
  }

  int const rank_;
  mutable form whole_, in_runs_, in_batches_;
};

/// Writes the messages of a rank into the blocks of its peers, and moves the elements that stay. A GPU that is not capturing
/// packs large messages with long rows into buffers. Its copy engines write from the buffers faster than kernels would, while
/// kernels move the elements that stay.
class rank_writes {
 public:
  /// `peers` has the destination of the peer of each message.
  rank_writes(planned_moves const& of, void const* source, void* destination, std::span<void* const> peers,
              copy_options const& options);

  std::size_t parts() const { return parts_.size(); }
  void start(std::size_t part);

  /// Makes later work on the rank's stream wait for all parts that were started.
  void join();

 private:
  planned_moves const& moves_;
  void const* source_;
  void* destination_;
  std::span<void* const> peers_;
  copy_options options_;
  std::span<written_part const> parts_;
  std::optional<gpu::peer_copies> copies_;
};

}  // namespace cornerturn::distributed
