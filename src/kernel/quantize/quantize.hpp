#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "element/block_scale.hpp"
#include "element/change.hpp"
#include "element/magnitude.hpp"
#include "kernel/quantize/plan.hpp"

namespace cornerturn::tile {

template <class S>
struct quantize_args {
  S const* source;
  quantize_job job;
};

/// Quantises a matrix to 8-bit floats, along its rows, along its columns or both. A block holds a tile of 128 x 128 elements in
/// shared memory. From there, threads find the largest magnitudes of rows and columns, then change runs of 16 elements of the
/// rows, and of the columns, each of which is one vector of an output. Two elements of 2 bytes are loaded from shared memory as
/// one word. Of a source of 8-bit floats, shared memory holds the numbers, as floats.
template <class S, class D>
struct quantize {
  static constexpr bool kOverlaps = true, kHasScales = sizeof(S) == 1;
  using T = std::conditional_t<kHasScales, float, S>;  ///< the type of elements in shared memory
  static constexpr int kThreads = kQuantizeThreads, kBlocks = sizeof(T) == 2 ? 4 : 3;
  static constexpr int kTile = kScaleTile, kRun = 16, kRuns = kTile / kRun, V = 16 / int(sizeof(S));
  static constexpr int kWord = 4 / int(sizeof(T)), kRowWords = kTile / kWord;  ///< elements of a word, words of a row
  static constexpr int kPitch = kTile + kWord;  ///< an odd number of words, so that threads on a column use all banks
  static constexpr int kElementBytes = kTile * kPitch * int(sizeof(T));
  /// After the elements come the magnitudes of rows, and those of columns in `kWord` parts of the rows; then the factors of both.
  static constexpr int kMagnitudes = kTile + kWord * kTile;
  static constexpr int kSharedBytes = kElementBytes + (kMagnitudes + 2 * kTile) * int(sizeof(float));

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, quantize_args<S> const& args) {
    quantize_job const& job = args.job;
    int const index = int(block.index()), tile_cols = int(job.tile_cols());
    std::int64_t const tile_row = index / tile_cols, tile_col = index % tile_cols, row = tile_row * kTile, col = tile_col * kTile;
    int const rows = int(cute::min(job.rows - row, std::int64_t(kTile))),
              cols = int(cute::min(job.cols - col, std::int64_t(kTile)));
    T* const tile = block.opaque_address(block.template shared<T, kTile * kPitch>());
    std::int32_t* const amax = block.opaque_address(block.template shared<std::int32_t, kMagnitudes>(kElementBytes));
    float* const factors = reinterpret_cast<float*>(amax + kMagnitudes);

    S const* const source = args.source + row * job.pitch + col;
    float const* const scales =
        kHasScales ? job.source_scales + row * job.source_scale_row_stride + tile_col * job.source_scale_block_stride : nullptr;
    job.reads_vectors ? load<V>(block, job, source, scales, rows, cols, tile)
                      : load<1>(block, job, source, scales, rows, cols, tile);
    block.sync();
    if (job.blocks != scale_blocks::tensor || job.amax) find_amax(block, job, tile, amax);
    block.sync();
    scale(block, job, tile_row, tile_col, rows, cols, amax, factors);
    block.sync();
    if (job.row_wise.values) write_rows(block, job, row, col, rows, cols, tile, factors);
    if (job.column_wise.values) write_columns(block, job, row, col, rows, cols, tile, factors + kTile);
  }

 private:
  /// Loads the tile, `Width` elements at once. Elements past the ends of the matrix are 0. `scales` are those of the rows.
  template <int Width, class Block>
  CUTE_HOST_DEVICE static void load(Block& block, quantize_job const& job, S const* source, float const* scales, int rows,
                                    int cols, T* tile) {
    constexpr int kAcross = kTile / Width, kDown = kThreads / kAcross, kLoads = 4, kStored = cute::min(Width, kWord);
    int const c = block.thread() % kAcross * Width;
    CORNERTURN_NO_UNROLL
    for (int r = block.thread() / kAcross; r < kTile; r += kLoads * kDown) {
      alignas(16) S loaded[kLoads][Width] = {};
      float scale[kLoads] = {};
      CUTE_UNROLL
      for (int n = 0; n < kLoads; ++n) {
        int const row = r + n * kDown;
        bool const is_inside = row < rows && c < cols;
        block.template global_load<Width>(source + row * job.pitch + c, loaded[n], is_inside);
        if constexpr (kHasScales) block.template global_load<1>(scales + row * job.source_scale_row_stride, &scale[n], is_inside);
      }
      CUTE_UNROLL
      for (int n = 0; n < kLoads; ++n) {
        alignas(16) T held[Width];
        CUTE_UNROLL
        for (int v = 0; v < Width; ++v) {
          if constexpr (kHasScales)
            held[v] = element::number_of<float>(loaded[n][v]) * scale[n];
          else
            held[v] = loaded[n][v];
        }
        CUTE_UNROLL
        for (int v = 0; v < Width; v += kStored)
          block.template shared_store<kStored>(tile + (r + n * kDown) * kPitch + c + v, held + v);
      }
    }
  }

  /// Finds the largest magnitude of one row, or those of a word's columns in a part of the rows, if they are needed.
  template <class Block>
  CUTE_HOST_DEVICE static void find_amax(Block& block, quantize_job const& job, T const* tile, std::int32_t* amax) {
    bool const is_row = block.thread() < kTile;
    auto const* const words = reinterpret_cast<std::uint32_t const*>(tile);
    int const line = block.thread() % kTile, word = line % kRowWords, part = line / kRowWords;
    bool const of_rows = job.row_wise.values || job.blocks == scale_blocks::squares || job.amax,
               of_columns = job.column_wise.values && job.blocks == scale_blocks::row_blocks;
    if (is_row ? !of_rows : !of_columns) return;
    auto const* const from = is_row ? words + line * (kPitch / kWord) : words + part * kRowWords * (kPitch / kWord) + word;
    int const step = is_row ? 1 : kPitch / kWord;
    element::word_magnitudes<T> most;
    CUTE_UNROLL
    for (int i = 0; i < kRowWords; ++i) {
      std::uint32_t each;
      block.template shared_load<1>(from + i * step, &each);
      most.add(each);
    }
    if (is_row) {
      std::int32_t const all = most.all();
      block.template shared_store<1>(amax + line, &all);
    } else {
      CUTE_UNROLL
      for (int w = 0; w < kWord; ++w) {
        std::int32_t const each = most.of(w);
        block.template shared_store<1>(amax + kTile + part * kTile + word * kWord + w, &each);
      }
    }
  }

  /// Returns the largest of the magnitudes of all rows.
  template <class Block>
  CUTE_HOST_DEVICE static std::int32_t largest(Block& block, std::int32_t const* amax) {
    constexpr int kEach = kTile / kWarp;
    alignas(16) std::int32_t rows[kEach];
    block.template shared_load<kEach>(amax + block.thread() % kWarp * kEach, rows);
    std::int32_t all[1] = {cute::max(cute::max(rows[0], rows[1]), cute::max(rows[2], rows[3]))};
    CUTE_UNROLL
    for (int mask = kWarp / 2; mask > 0; mask /= 2) {
      std::int32_t other[1] = {all[0]};
      block.shfl_xor(other, mask);
      all[0] = cute::max(all[0], other[0]);
    }
    return all[0];
  }

  /// Computes the factor of one row or of one column, and stores its scale.
  template <class Block>
  CUTE_HOST_DEVICE static void scale(Block& block, quantize_job const& job, std::int64_t tile_row, std::int64_t tile_col,
                                     int rows, int cols, std::int32_t const* amax, float* factors) {
    bool const is_row = block.thread() < kTile, is_square = job.blocks == scale_blocks::squares;
    int const line = is_row ? block.thread() : block.thread() - kTile;
    std::int32_t own = 0, all = 0;
    if (is_square || job.amax) all = largest(block, amax);
    if (job.amax && block.thread() == 0) block.atomic_max(reinterpret_cast<int*>(job.amax), all);
    quantized_matrix const& output = is_row ? job.row_wise : job.column_wise;
    if (!output.values) return;
    if (job.blocks == scale_blocks::row_blocks) {
      block.template shared_load<1>(amax + block.thread(), &own);
      if (!is_row && kWord == 2) {
        std::int32_t second;
        block.template shared_load<1>(amax + kTile + block.thread(), &second);
        own = cute::max(own, second);
      }
    }
    auto each = job.given;
    if (job.scale_address) {
      float given;
      block.template global_load<1>(job.scale_address, &given, true);
      each = element::given_scale(given);
    }
    if (job.blocks != scale_blocks::tensor) {
      each = element::scale_of(std::bit_cast<float>(is_square ? all : own), job.recipe);
      auto const tile_line = is_row ? tile_row : tile_col, along = is_row ? tile_col : tile_row;
      auto const number = is_square ? tile_line : tile_line * kTile + line;
      bool const stores = is_square ? line == 0 : line < (is_row ? rows : cols);
      block.template global_store<1>(output.scales + number * output.scale_row_stride + along * output.scale_block_stride,
                                     &each.scale, stores);
    }
    block.template shared_store<1>(factors + block.thread(), &each.factor);
  }

  /// Stores a run of an output, of which `count` elements are inside the matrix.
  template <class Block>
  CUTE_HOST_DEVICE static void store_run(Block& block, float const (&numbers)[kRun], bool vectors, int count, D* to) {
    alignas(16) D values[kRun];
    element::saturate_elements(numbers, values);
    if (vectors && count >= kRun) {
      block.template global_store<kRun>(to, values, true);
    } else {
      CUTE_UNROLL
      for (int v = 0; v < kRun; ++v) block.template global_store<1>(to + v, &values[v], v < count);
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void write_rows(Block& block, quantize_job const& job, std::int64_t row, std::int64_t col, int rows,
                                          int cols, T const* tile, float const* factors) {
    D* const to = static_cast<D*>(job.row_wise.values) + row * job.row_wise.pitch + col;
    CORNERTURN_NO_UNROLL
    for (int unit = block.thread(); unit < kTile * kRuns; unit += kThreads) {
      int const r = unit / kRuns, c = unit % kRuns * kRun;
      float factor, numbers[kRun];
      block.template shared_load<1>(factors + r, &factor);
      CUTE_UNROLL
      for (int v = 0; v < kRun; v += kWord) {
        T each[kWord];
        block.template shared_load<kWord>(tile + r * kPitch + c + v, each);
        CUTE_UNROLL
        for (int w = 0; w < kWord; ++w) numbers[v + w] = element::number_of<float>(each[w]) * factor;
      }
      store_run(block, numbers, job.writes_rows, r < rows ? cols - c : 0, to + r * job.row_wise.pitch + c);
    }
  }

  /// A thread has the runs of a word's columns. Two neighbouring threads have a whole sector of the output.
  template <class Block>
  CUTE_HOST_DEVICE static void write_columns(Block& block, quantize_job const& job, std::int64_t row, std::int64_t col, int rows,
                                             int cols, T const* tile, float const* factors) {
    D* const to = static_cast<D*>(job.column_wise.values) + col * job.column_wise.pitch + row;
    CORNERTURN_NO_UNROLL
    for (int unit = block.thread(); unit < kRowWords * kRuns; unit += kThreads) {
      int const c = unit / 2 % kRowWords * kWord, r = (unit / (2 * kRowWords) * 2 + unit % 2) * kRun;
      alignas(8) float factor[kWord];
      float numbers[kWord][kRun];
      block.template shared_load<kWord>(factors + c, factor);
      CUTE_UNROLL
      for (int v = 0; v < kRun; ++v) {
        T each[kWord];
        block.template shared_load<kWord>(tile + (r + v) * kPitch + c, each);
        CUTE_UNROLL
        for (int w = 0; w < kWord; ++w) numbers[w][v] = element::number_of<float>(each[w]) * factor[w];
      }
      CUTE_UNROLL
      for (int w = 0; w < kWord; ++w)
        store_run(block, numbers[w], job.writes_columns, c + w < cols ? rows - r : 0, to + (c + w) * job.column_wise.pitch + r);
    }
  }
};

}  // namespace cornerturn::tile
