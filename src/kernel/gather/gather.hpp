#pragma once

#include "kernel/gather/form.hpp"
#include "kernel/gather/tile_rows.hpp"
#include "tile/words.hpp"

namespace cornerturn::tile {

/// Any permutation. A block copies the source rows of its tile to shared memory in aligned 16-byte units, and every row keeps its
/// offset within a unit. Then threads gather whole aligned vectors of the destination from shared memory, element by element, by
/// a table of offsets. So rows may have any alignment on both sides.
///
/// A vector has M_V elements. With `Ragged`, rows may begin and end within a vector. Vectors of single bytes can be so far apart
/// that all lanes of a warp need the same word of a 16-byte unit, which is in an eighth of the banks. Then each group of eight
/// lanes starts with a different word of its vectors.
template <class T, class Offset, int M_V, bool Ragged>
struct gather {
  using rows = tile_rows<T, Offset, M_V, Ragged>;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = rows::kThreads, kBlocks = gather_blocks(sizeof(T), sizeof(Offset) > 4);

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, gather_job> const& args) {
    // Shift into the block, tables, load.
    rows tile(block, args);

    // Exchange in shared memory, store: whole vectors, then the ends of rows.
    auto const take = [&](char const* from, T* to, bool active) {
      block.template shared_load<1>(reinterpret_cast<T const*>(from), to, active);
    };
    constexpr bool kPermutesWords = sizeof(T) == 1 && M_V == 16;
    int const word_xor = kPermutesWords ? tile.job.store.word_xor & block.thread() / 8 : 0;
    tile.for_vectors(block, [&](typename rows::row const& each, int first, T* to) {
      char const* addresses[M_V];
      tile.addresses_of(block, each, first, word_xor, addresses);
      alignas(16) T held[M_V];
      CUTE_UNROLL
      for (int j = 0; j < M_V; ++j) take(addresses[j], &held[j], true);
      if constexpr (kPermutesWords) xor_words(held, word_xor);
      block.template global_store<M_V>(to, held, true);
    });
    if constexpr (Ragged) tile.store_ends(block, take);
  }
};

}  // namespace cornerturn::tile
