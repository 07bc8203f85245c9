#pragma once

#include <cute/tensor.hpp>

#include "element/block_scale.hpp"
#include "element/change.hpp"
#include "kernel/quantize/plan.hpp"

namespace cornerturn::tile {

template <class S>
struct quantize_args {
  S const* source;
  quantize_job job;
};

/// Quantises a matrix to 8-bit floats, along its rows, along its columns or both. A block holds a tile of 128 x 128 elements in
/// shared memory, from which one thread for each row and one for each column find the scales. Then threads change runs of 16
/// elements of the rows, and of the columns, each of which is one vector of an output.
template <class S, class D>
struct quantize {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = 256, kBlocks = 2;
  static constexpr int kTile = kScaleTile, kRun = 16, kRuns = kTile / kRun, V = 16 / int(sizeof(S));
  static constexpr int kWord = sizeof(S) == 2 ? 2 : 1;  ///< elements of a word
  static constexpr int kPitch = kTile + kWord;          ///< an odd number of words, so that threads on a column use all banks
  static constexpr int kElementBytes = kTile * kPitch * int(sizeof(S));
  static constexpr int kSharedBytes = kElementBytes + 4 * kTile * int(sizeof(float));

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, quantize_args<S> const& args) {
    quantize_job const& job = args.job;
    auto const tile_cols = cute::ceil_div(job.cols, std::int64_t(kTile)), tile_row = block.index() / tile_cols,
               tile_col = block.index() % tile_cols;
    auto const row = tile_row * kTile, col = tile_col * kTile;
    int const rows = int(cute::min(job.rows - row, std::int64_t(kTile))),
              cols = int(cute::min(job.cols - col, std::int64_t(kTile)));
    S* const tile = block.opaque_address(block.template shared<S, kTile * kPitch>());
    // The magnitudes of rows, then those of columns; after these the factors of both.
    std::int32_t* const amax = block.opaque_address(block.template shared<std::int32_t, 2 * kTile>(kElementBytes));
    float* const factors = reinterpret_cast<float*>(amax + 2 * kTile);

    load(block, args.source + row * job.pitch + col, job, rows, cols, tile);
    block.sync();
    find_amax(block, tile, amax);
    block.sync();
    scale(block, job, tile_row, tile_col, rows, cols, amax, factors);
    block.sync();
    if (job.row_wise.values) write_rows(block, job, row, col, rows, cols, tile, factors);
    if (job.column_wise.values) write_columns(block, job, row, col, rows, cols, tile, factors + kTile);
  }

 private:
  /// Loads the tile. Elements past the ends of the matrix are 0.
  template <class Block>
  CUTE_HOST_DEVICE static void load(Block& block, S const* source, quantize_job const& job, int rows, int cols, S* tile) {
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < kTile * kTile / V; first += 4 * kThreads) {
      alignas(16) S held[4][V] = {};
      CUTE_UNROLL
      for (int n = 0; n < 4; ++n) {
        int const unit = first + n * kThreads + block.thread(), r = unit / (kTile / V), c = unit % (kTile / V) * V;
        S const* const from = source + r * job.pitch + c;
        if (job.reads_vectors) {
          block.template global_load<V>(from, held[n], r < rows && c < cols);
        } else {
          CUTE_UNROLL
          for (int v = 0; v < V; ++v) block.template global_load<1>(from + v, &held[n][v], r < rows && c + v < cols);
        }
      }
      CUTE_UNROLL
      for (int n = 0; n < 4; ++n) {
        int const unit = first + n * kThreads + block.thread(), r = unit / (kTile / V), c = unit % (kTile / V) * V;
        CUTE_UNROLL
        for (int v = 0; v < V; v += kWord) block.template shared_store<kWord>(tile + r * kPitch + c + v, held[n] + v);
      }
    }
  }

  /// Finds the magnitude of one row or of one column.
  template <class Block>
  CUTE_HOST_DEVICE static void find_amax(Block& block, S const* tile, std::int32_t* amax) {
    bool const is_row = block.thread() < kTile;
    S const* const from = is_row ? tile + block.thread() * kPitch : tile + (block.thread() - kTile);
    int const step = is_row ? 1 : kPitch;
    std::int32_t most = 0;
    CUTE_UNROLL
    for (int i = 0; i < kTile; ++i) {
      S each;
      block.template shared_load<1>(from + i * step, &each);
      most = cute::max(most, element::magnitude_bits(element::number_of<float>(each)));
    }
    block.template shared_store<1>(amax + block.thread(), &most);
  }

  /// Computes the factor of one row or of one column, and stores its scale.
  template <class Block>
  CUTE_HOST_DEVICE static void scale(Block& block, quantize_job const& job, std::int64_t tile_row, std::int64_t tile_col,
                                     int rows, int cols, std::int32_t const* amax, float* factors) {
    bool const is_row = block.thread() < kTile, is_square = job.blocks == scale_blocks::squares;
    int const line = is_row ? block.thread() : block.thread() - kTile;
    std::int32_t own, all = 0;
    block.template shared_load<1>(amax + block.thread(), &own);
    CORNERTURN_NO_UNROLL
    for (int i = 0; i < kTile && (is_square || job.amax); ++i) {
      std::int32_t each;
      block.template shared_load<1>(amax + i, &each);
      all = cute::max(all, each);
    }
    auto each = job.given;
    if (job.blocks != scale_blocks::tensor) {
      each = element::scale_of(std::bit_cast<float>(is_square ? all : own), job.recipe);
      quantized_matrix const& output = is_row ? job.row_wise : job.column_wise;
      auto const tile_line = is_row ? tile_row : tile_col, along = is_row ? tile_col : tile_row;
      auto const number = is_square ? tile_line : tile_line * kTile + line;
      bool const stores = output.values && (is_square ? line == 0 : line < (is_row ? rows : cols));
      block.template global_store<1>(output.scales + number * output.scale_row_stride + along * output.scale_block_stride,
                                     &each.scale, stores);
    }
    block.template shared_store<1>(factors + block.thread(), &each.factor);
    if (job.amax && block.thread() == 0) block.atomic_max(reinterpret_cast<int*>(job.amax), all);
  }

  /// Stores a run of an output, of which `count` elements are inside the matrix.
  template <class Block>
  CUTE_HOST_DEVICE static void store_run(Block& block, float const (&numbers)[kRun], bool vectors, int count, D* to) {
    alignas(16) D values[kRun];
    if (!element::round_pairs(numbers, values)) {
      CUTE_UNROLL
      for (int v = 0; v < kRun; ++v) values[v] = element::element_of<D>(numbers[v], true);
    }
    if (vectors && count >= kRun) {
      block.template global_store<kRun>(to, values, true);
    } else {
      CUTE_UNROLL
      for (int v = 0; v < kRun; ++v) block.template global_store<1>(to + v, &values[v], v < count);
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void write_rows(Block& block, quantize_job const& job, std::int64_t row, std::int64_t col, int rows,
                                          int cols, S const* tile, float const* factors) {
    D* const to = static_cast<D*>(job.row_wise.values) + row * job.row_wise.pitch + col;
    CORNERTURN_NO_UNROLL
    for (int unit = block.thread(); unit < kTile * kRuns; unit += kThreads) {
      int const r = unit / kRuns, c = unit % kRuns * kRun;
      float factor, numbers[kRun];
      block.template shared_load<1>(factors + r, &factor);
      CUTE_UNROLL
      for (int v = 0; v < kRun; v += kWord) {
        S each[kWord];
        block.template shared_load<kWord>(tile + r * kPitch + c + v, each);
        CUTE_UNROLL
        for (int w = 0; w < kWord; ++w) numbers[v + w] = element::number_of<float>(each[w]) * factor;
      }
      store_run(block, numbers, job.writes_rows, r < rows ? cols - c : 0, to + r * job.row_wise.pitch + c);
    }
  }

  /// Two neighbouring threads have a whole sector of the output.
  template <class Block>
  CUTE_HOST_DEVICE static void write_columns(Block& block, quantize_job const& job, std::int64_t row, std::int64_t col, int rows,
                                             int cols, S const* tile, float const* factors) {
    D* const to = static_cast<D*>(job.column_wise.values) + col * job.column_wise.pitch + row;
    CORNERTURN_NO_UNROLL
    for (int unit = block.thread(); unit < kTile * kRuns; unit += kThreads) {
      int const c = unit / 2 % kTile, r = (unit / (2 * kTile) * 2 + unit % 2) * kRun;
      float factor, numbers[kRun];
      block.template shared_load<1>(factors + c, &factor);
      CUTE_UNROLL
      for (int v = 0; v < kRun; ++v) {
        S each;
        block.template shared_load<1>(tile + (r + v) * kPitch + c, &each);
        numbers[v] = element::number_of<float>(each) * factor;
      }
      store_run(block, numbers, job.writes_columns, c < cols ? rows - r : 0, to + c * job.column_wise.pitch + r);
    }
  }
};

}  // namespace cornerturn::tile
