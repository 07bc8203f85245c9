#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "element/magnitude.hpp"
#include "element/words.hpp"
#include "kernel/quantize/exchange.hpp"
#include "kernel/quantize/plan.hpp"

namespace cornerturn::tile {

template <class S>
struct quantize_args {
  S const* source;
  quantize_job job;
};

/// The tile of 128 x 128 elements of a block. A thread reads a vector of each of four rows at once. It keeps elements in words:
/// two 2-byte elements in one word, and 8-bit floats, times their scales, as floats.
template <class S>
struct source_tile {
  static constexpr bool kHasScales = sizeof(S) == 1;
  using T = std::conditional_t<kHasScales, float, S>;  ///< the type of elements in words
  static constexpr int kThreads = kQuantizeThreads, kWarps = kThreads / kWarp;
  static constexpr int kTile = kScaleTile, V = kUnitBytes / int(sizeof(S));
  static constexpr int kWord = 4 / int(sizeof(T));                       ///< elements of a word
  static constexpr int kRowWords = kTile / kWord, kWords = V / kWord;    ///< words of a row, of a vector
  static constexpr int kAcross = kTile / V, kDown = kThreads / kAcross;  ///< threads on a row, rows of a load of all threads
  using exchange = row_exchange<T, kAcross>;
  static constexpr int kLoads = exchange::kRows;
  static constexpr int kColumnWords = kWarps * kRowWords;  ///< the magnitudes of columns that each warp finds among its rows

  std::int64_t tile_row, tile_col;
  int rows, cols;  ///< rows and columns of the tile that are inside the matrix

  CUTE_HOST_DEVICE static source_tile at(quantize_job const& job, int index) {
    int const tile_cols = int(job.tile_cols());
    std::int64_t const tile_row = index / tile_cols, tile_col = index % tile_cols;
    return {tile_row, tile_col, int(cute::min(job.rows - tile_row * kTile, std::int64_t(kTile))),
            int(cute::min(job.cols - tile_col * kTile, std::int64_t(kTile)))};
  }

  CUTE_HOST_DEVICE std::int64_t first_row() const { return tile_row * kTile; }
  CUTE_HOST_DEVICE std::int64_t first_col() const { return tile_col * kTile; }

  /// A thread's first row and first column in the tile.
  CUTE_HOST_DEVICE static int row_of(int thread) { return thread / kAcross; }
  CUTE_HOST_DEVICE static int column_of(int thread) { return thread % kAcross * V; }

  /// Loads this thread's vectors of the rows `first + n * kDown`, `Width` elements at once, and the scales of these rows. `from`
  /// is the address of the first vector. Elements outside of the matrix keep their values.
  template <int Width, class Block>
  CUTE_HOST_DEVICE void load(Block& block, quantize_job const& job, S const* from, int first, S (&loaded)[kLoads][V],
                             float (&scale)[kLoads]) const {
    int const inside = cols - column_of(block.thread());
    std::int64_t const step = kDown * job.pitch;
    float const* const scales =
        kHasScales ? job.source_scales + first_row() * job.source_scale_row_stride + tile_col * job.source_scale_block_stride
                   : nullptr;
    CUTE_UNROLL
    for (int n = 0; n < kLoads; ++n) {
      int const row = first + n * kDown;
      CUTE_UNROLL
      for (int v = 0; v < V; v += Width)
        block.template global_load<Width>(from + n * step + v, &loaded[n][v], row < rows && v < inside);
      if constexpr (kHasScales)
        block.template global_load<1>(scales + row * job.source_scale_row_stride, &scale[n], row < rows && inside > 0);
    }
  }

  /// The words of a vector. `scale` is the scale of its row in the source. The elements from `inside` on are outside of the
  /// matrix, and stay 0 whatever the scale is.
  template <int Width>
  CUTE_HOST_DEVICE static void words_of(S const (&loaded)[V], float scale, int inside, std::uint32_t (&words)[kWords]) {
    if constexpr (kHasScales) {
      CUTE_UNROLL
      for (int v = 0; v < V; ++v)
        words[v] = std::bit_cast<std::uint32_t>(Width == V || v < inside ? element::number_of<float>(loaded[v]) * scale : 0);
    } else {
      std::memcpy(words, loaded, sizeof(words));
    }
  }

  /// Raises the magnitudes of a thread's columns, and of one of its rows, to the magnitudes in a vector.
  CUTE_HOST_DEVICE static void raise(std::uint32_t const (&words)[kWords], std::uint32_t (&columns)[kWords], std::uint32_t& row) {
    CUTE_UNROLL
    for (int w = 0; w < kWords; ++w) {
      columns[w] = element::larger_magnitudes<T>(columns[w], words[w]);
      row = element::larger_magnitudes<T>(row, words[w]);
    }
  }

  /// Stores the magnitudes of columns among a warp's rows. `columns` has magnitudes among this thread's rows before the call, and
  /// among the warp's rows after it.
  template <class Block>
  CUTE_HOST_DEVICE static void store_columns(Block& block, std::uint32_t (&columns)[kWords], std::uint32_t* magnitudes) {
    int const lane = block.thread() % kWarp, warp = block.thread() / kWarp;
    CUTE_UNROLL
    for (int mask = kAcross; mask < kWarp; mask *= 2) {
      std::uint32_t other[kWords];
      std::memcpy(other, columns, sizeof(columns));
      block.shfl_xor(other, mask);
      CUTE_UNROLL
      for (int w = 0; w < kWords; ++w) columns[w] = element::larger_magnitudes<T>(columns[w], other[w]);
    }
    CUTE_UNROLL
    for (int w = 0; w < kWords; w += 4)
      block.template shared_store<4>(magnitudes + warp * kRowWords + lane % kAcross * kWords + w, columns + w, lane < kAcross);
  }

  /// The magnitudes of a word's columns among all rows of the tile.
  template <class Block>
  CUTE_HOST_DEVICE static std::uint32_t load_columns(Block& block, std::uint32_t const* magnitudes, int word) {
    std::uint32_t most = 0;
    CUTE_UNROLL
    for (int n = 0; n < kWarps; ++n) {
      std::uint32_t each;
      block.template shared_load<1>(magnitudes + n * kRowWords + word, &each);
      most = element::larger_magnitudes<T>(most, each);
    }
    return most;
  }
};

}  // namespace cornerturn::tile
