#pragma once

#include "kernel/convert/convert.hpp"
#include "kernel/convert/factors.hpp"
#include "tile/load_factors.hpp"
#include "tile/source_list.hpp"

namespace cornerturn::tile {

/// Scale and bias for elements of two types that the compiler knows.
template <class S, class D>
struct typed_affine {
  using source = S;
  using destination = D;
  static constexpr int kAtOnce = 4;  ///< as in `typed_change`
  static constexpr bool kMayBeWide = false;
  bool saturate;

  explicit typed_affine(element_operation const& each) : saturate(each.saturate) {}
  bool is_wide() const { return false; }
  template <class C, int N>
  CUTE_HOST_DEVICE void change(S const (&from)[N], C const (&scale)[N], C const (&bias)[N], D (&to)[N]) const {
    CUTE_UNROLL
    for (int v = 0; v < N; ++v) to[v] = element::scaled<D>(from[v], scale[v], bias[v], saturate);
  }
};

/// Scale and bias for elements of two types of these sizes in bytes, which are selected at run time.
template <int S, int D>
struct selected_affine {
  using source = element::raw_element<S>;
  using destination = element::raw_element<D>;
  static constexpr int kAtOnce = 2;  ///< as in `selected_change`
  static constexpr bool kMayBeWide = S == 8 || D == 8;
  bool saturate;
  element::selected_types types;

  explicit selected_affine(element_operation const& each) : saturate(each.saturate), types(element::selected_types::of(each)) {}
  CUTE_HOST_DEVICE bool is_wide() const { return types.is_wide; }
  template <class C, int N>
  CUTE_HOST_DEVICE void change(source const (&from)[N], C const (&scale)[N], C const (&bias)[N], destination (&to)[N]) const {
    using std::fma;
    element::selected_numbers<C, N> numbers;
    source native[N];
    CUTE_UNROLL
    for (int v = 0; v < N; ++v) native[v] = from[v];
    if (types.source_swapped) element::swap_bytes<S>(types.source, native);
    element::read_numbers<S>(types.source, native, numbers);
    CUTE_UNROLL
    for (int v = 0; v < N; ++v) numbers.real[v] = fma(scale[v], numbers.real[v], bias[v]);
    element::write_numbers<D>(types.destination, numbers, saturate, to);
    if (types.destination_swapped) element::swap_bytes<D>(types.destination, to);
  }
};

template <class Change>
struct affine_args : convert_args<Change> {
  factor_steps factors;
  void const *scale, *bias;  ///< floats or doubles, from the first tile's first element on; or null
  source_list sources;
};

/// A permutation that multiplies each element by its own factors, by the blocks of `tiled_block`. The factors are a third layout
/// of the problem, so the offset of a factor is a sum over the digits of the tile and of the store.
template <class Change, convert_form Form>
struct convert_affine {
  using S = typename Change::source;
  using D = typename Change::destination;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kConvertThreads, kBlocks = kTiledResidentThreads / kConvertThreads;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, affine_args<Change> const& args) {
    if constexpr (Change::kMayBeWide)
      if (args.change.is_wide()) return run_with<double>(block, args);
    run_with<float>(block, args);
  }

 private:
  template <class C, class Block>
  CUTE_HOST_DEVICE static void run_with(Block& block, affine_args<Change> const& args) {
    constexpr auto kWidths = widths_of(Form, element_sizes(sizeof(S), sizeof(D)));
    constexpr int M_V = kWidths.store, kLoads = loads_of(kWidths, sizeof(S)), kStores = Change::kAtOnce;
    using tile = tiled_block<S, D, kWidths.load, kWidths.rows, M_V, kConvertThreads, kLoads, kStores, Form == convert_form::rows>;
    auto const tile_factor = factor_of_tile(args.job, args.factors, listed_block_of(block, args.sources).index);
    tile::run(block, args,
              [&](D* destination, typename tile::store_accesses const& to, S const(&vectors)[kStores][M_V], int first) {
                // Load the factors of each store, change, store.
                CUTE_UNROLL
                for (int n = 0; n < kStores; ++n) {
                  auto const at = tile_factor + factor_of_store(args.job, args.factors, first + n * kConvertThreads);
                  C scale[M_V], bias[M_V];
                  load_factors(block, args.scale, at, args.factors.in_store, element::kNoScale<C>, to.active[n], scale);
                  load_factors(block, args.bias, at, args.factors.in_store, element::kNoBias<C>, to.active[n], bias);
                  alignas(16) D changed[M_V];
                  args.change.change(vectors[n], scale, bias, changed);
                  block.template global_store<M_V>(destination + to.global[n], changed, to.active[n]);
                }
              });
  }
};

}  // namespace cornerturn::tile
