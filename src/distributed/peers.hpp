#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "cornerturn/distributed.hpp"
#include "distributed/side.hpp"
#include "problem/problem.hpp"

namespace cornerturn::distributed {

/// A description that was checked, with both of its sides.
struct sharded_permutation {
  std::vector<std::int64_t> axes;  ///< not negative
  side source, destination;
  element_sizes element_size;
  std::optional<element_operation> operation;  ///< how elements change; none: their bytes are copied
  std::int64_t elements;                       ///< the number of elements of the whole array

  /// True if a message has elements of the destination, because the sender changes them.
  bool packing_changes() const { return operation && operation->beta == 0.0 && element_size.destination <= element_size.source; }
  bool unpacking_changes() const { return operation && !packing_changes(); }
  std::int64_t message_element_size() const { return packing_changes() ? element_size.destination : element_size.source; }

  /// The block of the destination that a rank has, as ranges of the source's modes.
  std::vector<range> destination_block(std::int64_t rank) const;
};

/// Checks a description. Throws `error` if it is wrong.
sharded_permutation checked(description const& given);

/// Takes a peer, which may be the rank itself, and the box that goes to it or comes from it, as non-empty ranges of the source's
/// modes.
using peer_visitor = std::function<void(std::int64_t peer, std::span<range const> indices)>;

/// Visits the ranks that read from a rank. If the source is replicated, a rank reads from the replica that has the rank's own
/// coordinates along the replicated modes of the source's grid. So a rank reads its own elements from itself, and all replicas
/// send the same amount.
void visit_receivers(sharded_permutation const& all, std::int64_t sender, peer_visitor const& visit);

/// Visits the ranks from which a rank reads.
void visit_senders(sharded_permutation const& all, std::int64_t receiver, peer_visitor const& visit);

}  // namespace cornerturn::distributed
