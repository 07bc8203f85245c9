#pragma once

#include "element/change.hpp"
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
  template <int N>
  CUTE_HOST_DEVICE void change(S const (&from)[N], D (&to)[N]) const {
    element::change_elements(by, from, to);
  }
};

/// An operation between two types of these sizes in bytes, which are selected at run time.
template <int S, int D>
struct selected_change {
  using source = element::raw_element<S>;
  using destination = element::raw_element<D>;
  static constexpr int kAtOnce = 2;  ///< fewer registers, because numbers of any type take many
  element::factors by;
  element::selected_types types;

  explicit selected_change(element_operation const& each)
      : by(element::factors::of(each)), types(element::selected_types::of(each)) {}
  template <int N>
  CUTE_HOST_DEVICE void change(source const (&from)[N], destination (&to)[N]) const {
    element::change_selected<S, D>(by, types, from, to);
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
/// the elements of the source. The old elements of the destination are loaded only if beta is not 0.
template <class Change, convert_form Form>
struct convert {
  using S = typename Change::source;
  using D = typename Change::destination;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kConvertThreads, kBlocks = kTiledResidentThreads / kConvertThreads;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, convert_args<Change> const& args) {
    constexpr auto kWidths = widths_of(Form, element_sizes(sizeof(S), sizeof(D)));
    constexpr int M_V = kWidths.store, kLoads = loads_of(kWidths, sizeof(S)), kStores = Change::kAtOnce;
    using tile = tiled_block<S, D, kWidths.load, kWidths.rows, M_V, kConvertThreads, kLoads, kStores, Form == convert_form::rows>;
    tile::run(block, args, [&](D* destination, typename tile::store_accesses const& to, S const(&vectors)[kStores][M_V], int) {
      // Load: the old elements of the destination, if they are read.
      alignas(16) D changed[kStores][M_V] = {};
      if (args.change.by.reads_destination) {
        CUTE_UNROLL
        for (int n = 0; n < kStores; ++n) block.template global_load<M_V>(destination + to.global[n], changed[n], to.active[n]);
      }

      // Change, store.
      CUTE_UNROLL
      for (int n = 0; n < kStores; ++n) {
        args.change.change(vectors[n], changed[n]);
        block.template global_store<M_V>(destination + to.global[n], changed[n], to.active[n]);
      }
    });
  }
};

}  // namespace cornerturn::tile
