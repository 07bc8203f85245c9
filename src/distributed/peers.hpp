#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/side.hpp"

namespace cornerturn::distributed {

/// A description that was checked, with both of its sides.
struct sharded_permutation {
  std::vector<std::int64_t> axes;  ///< none of which is negative
  side source, destination;
  std::int64_t element_size;  ///< bytes
  std::int64_t bytes;         ///< the size of the whole array

  /// The block of the destination that a rank has, as ranges of the source's modes.
  std::vector<range> destination_block(std::int64_t rank) const;
};

/// Checks a description. Throws `error` if it is wrong.
sharded_permutation checked(description const& given);

/// Takes a peer, itself included, and the box that goes to it or comes from it, as ranges of the source's modes, none of them
/// empty.
using peer_visitor = std::function<void(std::int64_t peer, std::span<range const> indices)>;

/// Visits the ranks that read from a rank. If the source is replicated, a rank reads from the replica whose coordinates along the
/// replicated modes of the source's grid are its own. So it reads from itself what it has, and all replicas send as much.
void visit_receivers(sharded_permutation const& all, std::int64_t sender, peer_visitor const& visit);

/// Visits the ranks from which a rank reads.
void visit_senders(sharded_permutation const& all, std::int64_t receiver, peer_visitor const& visit);

}  // namespace cornerturn::distributed
