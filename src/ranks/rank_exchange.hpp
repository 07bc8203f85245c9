#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/agreement.hpp"
#include "distributed/rank_moves.hpp"
#include "distributed/written_parts.hpp"
#include "engine/gpu/peer_copies.hpp"

namespace cornerturn::distributed {

/// The state of a `rank_plan`. Each form of the rank's part is planned at its first use, because a program needs only one form.
class rank_exchange {
 public:
  rank_exchange(description const& given, int rank) : all(checked(given)), digests(digests_of("run", given)), rank_(rank) {
    expect_rank(all, rank);
  }
  ~rank_exchange() { delete whole_.load(), delete in_runs_.load(), delete in_batches_.load(); }
  rank_exchange(rank_exchange const&) = delete;

  rank_moves const& whole() const { return planned(whole_, {}); }                    ///< with one message for each peer
  rank_moves const& in_runs() const { return planned(in_runs_, kInRuns); }           ///< for messages in host memory
  rank_moves const& in_batches() const { return planned(in_batches_, kInBatches); }  ///< for messages between GPUs

  sharded_permutation const all;
  std::vector<digest> const digests;

 private:
  using part = std::atomic<rank_moves const*>;

  /// Concurrent first calls may each plan; the first part that is stored stays.
  rank_moves const& planned(part& stored, division const& by) const {
    if (auto const* const found = stored.load()) return *found;
    auto fresh = std::make_unique<rank_moves const>(moves_of(all, rank_, by));
    rank_moves const* first = nullptr;
    return stored.compare_exchange_strong(first, fresh.get()) ? *fresh.release() : *first;
  }

  int const rank_;
  mutable part whole_ = nullptr, in_runs_ = nullptr, in_batches_ = nullptr;
};

/// Copies between the offsets of a problem, or changes its elements.
void copy(problem const& each, void const* source, void* destination, copy_options const& options);

/// Writes the messages of a rank into the blocks of its peers, and moves the elements that stay. A GPU that is not capturing
/// packs large messages with long rows into buffers. Its copy engines write from the buffers faster than kernels would, while
/// kernels move the elements that stay.
class rank_writes {
 public:
  /// `peers` has the destination of the peer of each message.
  rank_writes(rank_moves const& of, void const* source, void* destination, std::span<void* const> peers,
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
