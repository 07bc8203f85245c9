#pragma once

#include "kernel/gather/form.hpp"
#include "kernel/gather/tile_rows.hpp"
#include "tile/words.hpp"

namespace cornerturn::tile {

/// Any permutation. A block loads the rows of its tile as they lie in the source, in aligned 16-byte units, into shared memory
/// that keeps their place within a unit; then threads gather whole aligned vectors of the destination from there, element by
/// element, along a table of places. So neither side minds how its rows are aligned.
///
/// M_V elements are stored together; with `Ragged`, rows may begin and end within these. Vectors of bytes are so far apart that
/// all lanes of a warp may want the same word of a 16-byte unit, which is in an eighth of the banks: then every eight lanes begin
/// with another word of their vectors.
template <class T, class Offset, int M_V, bool Ragged>
struct gather {
  using rows = tile_rows<T, Offset, M_V, Ragged>;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = rows::kThreads, kBlocks = gather_blocks(sizeof(T), sizeof(Offset) > 4);

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, gather_job> const& args) {
    rows tile(block, args);
    auto const take = [&](char const* from, T* to, bool active) {
      block.template shared_load<1>(reinterpret_cast<T const*>(from), to, active);
    };
    constexpr bool kSwaps = sizeof(T) == 1 && M_V == 16;
    int const swapped = kSwaps ? tile.job.swaps & block.thread() / 8 : 0;
    tile.for_vectors(block, [&](typename rows::row const& each, int first, T* to) {
      char const* places[M_V];
      tile.places_of(block, each, first, swapped, places);
      alignas(16) T held[M_V];
      CUTE_UNROLL
      for (int j = 0; j < M_V; ++j) take(places[j], &held[j], true);
      if constexpr (kSwaps) xor_words(held, swapped);
      block.template global_store<M_V>(to, held, true);
    });
    if constexpr (Ragged) tile.move_ends(block, take);
  }
};

}  // namespace cornerturn::tile
