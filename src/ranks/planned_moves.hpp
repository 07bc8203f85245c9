#pragma once

#include <map>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "base/fork_safe_mutex.hpp"
#include "base/fork_safe_static.hpp"
#include "cornerturn/permute.hpp"
#include "distributed/rank_moves.hpp"
#include "distributed/written_parts.hpp"
#include "plan/prepared.hpp"

namespace cornerturn::distributed {

/// The part of a rank and the plans that move its boxes. A plan is prepared for the first copy with its place, alignment and
/// limit of threads, and is kept. Boxes that differ only in their offsets have one plan.
class planned_moves : public rank_moves {
 public:
  explicit planned_moves(rank_moves moves) : rank_moves(std::move(moves)) {}

  /// Copies between the offsets of a problem of this object, or changes its elements.
  void copy(problem const& each, void const* source, void* destination, copy_options const& options) const;

  /// The parts that `rank_plan::write` moves: whole messages, or parts that fit into the buffers of a GPU's copy engines.
  std::vector<written_part> const& written(bool in_buffers) const;

 private:
  using key = std::tuple<std::vector<mode> const&, element_sizes, bool, where>;  // the bool: elements change

  mutable fork_safe_mutex mutex_;
  mutable std::map<key, std::shared_ptr<prepared_plan const>> plans_;
  mutable fork_safe_member<std::vector<written_part>> whole_writes_, buffered_writes_;
};

}  // namespace cornerturn::distributed
