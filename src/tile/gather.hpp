#pragma once

#include "tile/tile_rows.hpp"

namespace cornerturn::tile {

/// Any permutation. A block loads the rows of its tile as they lie in the source, in aligned 16-byte units, into shared memory
/// that keeps their place within a unit; then threads gather whole aligned vectors of the destination from there, element by
/// element, along a table of places. So neither side minds how its rows are aligned.
///
/// M_V elements are stored together; with `Ragged`, rows may begin and end within these.
template <class T, class Offset, int M_V, bool Ragged>
struct gather {
  using rows = tile_rows<T, Offset, 16, M_V >= 8 ? M_V : 0>;
  static constexpr int kThreads = rows::kThreads, kBlocks = 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, gathering<T> const& args) {
    rows const tile(block, args);
    auto const take = [&](int place, int row_at, T* to) {
      block.template shared_load<1>(reinterpret_cast<T const*>(tile.shared + place + row_at), to);
    };

    tile.template for_vectors<M_V>(block, [&](int, typename rows::row const& each, char* begin, int first) {
      int period, within;
      tile.job.period(period, within, first);
      int const row_at = each.at + period * tile.job.period_bytes;
      alignas(16) int from[M_V];
      constexpr int kPlaces = Ragged ? 1 : least(M_V, 4);
      CUTE_UNROLL
      for (int j = 0; j < M_V; j += kPlaces)
        block.template shared_load<kPlaces>(&tile.places[Ragged ? rows::place_of(within + j) : rows::place_of(within) + j],
                                            &from[j]);
      alignas(16) T held[M_V];
      CUTE_UNROLL
      for (int j = 0; j < M_V; ++j) take(from[j], row_at, &held[j]);
      block.template global_store<M_V>(reinterpret_cast<T*>(begin) + first, held, true);
    });

    if constexpr (Ragged) {
      tile.template move_ends<M_V>(block, [&](int, typename rows::row const& each, int i) {
        int period, within, from;
        tile.job.period(period, within, i);
        block.template shared_load<1>(&tile.places[rows::place_of(within)], &from);
        T element;
        take(from, each.at + period * tile.job.period_bytes, &element);
        return element;
      });
    }
  }
};

}  // namespace cornerturn::tile
