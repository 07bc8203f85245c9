#pragma once

#include "element/select.hpp"
#include "kernel/convert/forms.hpp"
#include "kernel/tiled/tiled.hpp"

namespace cornerturn::tile {

/// An operation between two types that the compiler knows.
template <class S, class D>
struct typed_change {
  using source = S;
  using destination = D;
  static constexpr int kAtOnce = 4;  ///< stores of one thread whose elements change together
  element::factors by;

  explicit typed_change(element_operation const& each) : by(element::factors::of(each)) {}
  CUTE_HOST_DEVICE D operator()(S s, D d) const { return element::applied<D>(by, s, d); }
};

/// An operation between two types of these sizes in bytes, which are selected at run time.
template <int S, int D>
struct selected_change {
  using source = element::raw_element<S>;
  using destination = element::raw_element<D>;
  static constexpr int kAtOnce = 2;  ///< fewer registers, because many are in use during a call
  element::factors by;
  element::selected_types types;

  explicit selected_change(element_operation const& each)
      : by(element::factors::of(each)), types(element::selected_types::of(each)) {}
  CUTE_HOST_DEVICE destination operator()(source s, destination d) const {
    return element::applied_to_selected<S, D>(by, types, s, d);
  }
};

template <class Change>
struct convert_args {
  typename Change::source const* source;
  typename Change::destination* destination;
  tiled_job job;
  Change change;
};

/// A permutation whose elements change, by the blocks of `tiled_block`. The change comes after shared memory, which thus holds
/// the elements of the source. The old elements of the destination are loaded only if they count.
template <class Change, int N_V, int Rows, int M_V, int Loads>
struct convert {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kConvertThreads, kBlocks = 1024 / kConvertThreads;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, convert_args<Change> const& args) {
    using S = typename Change::source;
    using D = typename Change::destination;
    constexpr int kStores = Change::kAtOnce;
    using tile = tiled_block<S, D, N_V, Rows, M_V, kConvertThreads, Loads, kStores>;
    tile::run(block, args, [&](D* destination, typename tile::store_accesses const& to, S const(&vectors)[kStores][M_V]) {
      alignas(16) D changed[kStores][M_V] = {};
      if (args.change.by.reads_destination) {
        CUTE_UNROLL
        for (int n = 0; n < kStores; ++n) block.template global_load<M_V>(destination + to.global[n], changed[n], to.active[n]);
      }
      CUTE_UNROLL
      for (int n = 0; n < kStores; ++n) {
        CUTE_UNROLL
        for (int v = 0; v < M_V; ++v) changed[n][v] = args.change(vectors[n][v], changed[n][v]);
        block.template global_store<M_V>(destination + to.global[n], changed[n], to.active[n]);
      }
    });
  }
};

}  // namespace cornerturn::tile
