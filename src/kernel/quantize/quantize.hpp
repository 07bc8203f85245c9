#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "element/block_scale.hpp"
#include "element/magnitude.hpp"
#include "element/words.hpp"
#include "kernel/quantize/exchange.hpp"
#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/store.hpp"

namespace cornerturn::tile {

template <class S>
struct quantize_args {
  S const* source;
  quantize_job job;
};

/// Quantises a matrix to 8-bit floats, along its rows, along its columns or both. A block has a tile of 128 x 128 elements.
/// Threads that share a row exchange its largest magnitude, change its elements and store them without shared memory. Columns,
/// and rows whose scale is that of the whole tile, come from shared memory: each thread changes runs of 16 elements of the
/// columns, each of which is one vector of the output. Two elements of 2 bytes are one word there, and 8-bit floats of a source
/// are floats.
template <class S, class D>
struct quantize {
  static constexpr bool kOverlaps = true, kHasScales = sizeof(S) == 1;
  using T = std::conditional_t<kHasScales, float, S>;  ///< the type of elements in shared memory
  static constexpr int kThreads = kQuantizeThreads, kBlocks = kHasScales ? 2 : sizeof(T) == 2 ? 4 : 3, kWarps = kThreads / kWarp;
  static constexpr int kTile = kScaleTile, kRun = 16, V = kUnitBytes / int(sizeof(S));
  static constexpr int kWord = 4 / int(sizeof(T));                       ///< elements of a word
  static constexpr int kRowWords = kTile / kWord, kWords = V / kWord;    ///< words of a row, of a vector
  static constexpr int kAcross = kTile / V, kDown = kThreads / kAcross;  ///< threads on a row, rows of a load of all threads
  static constexpr int kLoads = row_exchange<T, kAcross>::kRows;
  static constexpr int kElementBytes = kTile * kTile * int(sizeof(T));
  /// After the elements come the magnitudes of columns and of the whole, which each warp finds among its rows.
  static constexpr int kMagnitudes = kWarps * kRowWords + kWarps;
  static constexpr int kSharedBytes = kElementBytes + kMagnitudes * 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, quantize_args<S> const& args) {
    quantize_job const& job = args.job;
    int const index = int(block.index()), tile_cols = int(job.tile_cols());
    std::int64_t const tile_row = index / tile_cols, tile_col = index % tile_cols;
    place const at = {tile_row, tile_col, int(cute::min(job.rows - tile_row * kTile, std::int64_t(kTile))),
                      int(cute::min(job.cols - tile_col * kTile, std::int64_t(kTile)))};
    auto* const tile = block.opaque_address(block.template shared<std::uint32_t, kTile * kRowWords>());
    auto* const magnitudes = block.opaque_address(block.template shared<std::uint32_t, kMagnitudes>(kElementBytes));

    auto all = job.given;  // the scale of the whole tile, unless each row has one
    if (job.scale_address) {
      float given;
      block.template global_load<1>(job.scale_address, &given, true);
      all = element::given_scale(given);
    }
    std::uint32_t most[kWords] = {};  // the largest magnitudes of the columns that a thread reads
    auto const read_tile = [&]<bool Writes>(std::bool_constant<Writes>) {
      job.reads_vectors ? read<V, Writes>(block, args, at, all.factor, tile, most)
                        : read<1, Writes>(block, args, at, all.factor, tile, most);
    };
    bool const is_square = job.blocks == scale_blocks::squares;
    job.row_wise.values && !is_square ? read_tile(std::true_type()) : read_tile(std::false_type());
    store_magnitudes(block, job, most, magnitudes);
    block.sync();
    find_whole(block, job, at, magnitudes + kWarps * kRowWords, all);
    if (job.row_wise.values && is_square) write_rows(block, job, at, tile, all.factor);
    if (job.column_wise.values) write_columns(block, job, at, tile, magnitudes, all);
  }

 private:
  /// A tile's numbers, and its rows and columns that are inside the matrix.
  struct place {
    std::int64_t tile_row, tile_col;
    int rows, cols;
  };

  /// The place of a word in shared memory. Both threads that store to a sector of a column's output read different banks.
  CUTE_HOST_DEVICE static int word_at(int row, int word) { return row * kRowWords + (word ^ (row & kRun)); }

  /// The words of a vector that shared memory holds. `scale` is that of the row in the source; the elements from `inside` on are
  /// outside of the matrix, and no scale changes their 0.
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

  /// Reads the tile, `Width` elements at once. Elements past the ends of the matrix are 0. If it `Writes`, writes rows, whose scale
  /// is that of the row or `given`. Stores the elements in shared memory if they are needed again.
  template <int Width, bool Writes, class Block>
  CUTE_HOST_DEVICE static void read(Block& block, quantize_args<S> const& args, place const& at, float given, std::uint32_t* tile,
                                    std::uint32_t (&most)[kWords]) {
    quantize_job const& job = args.job;
    bool const keeps = job.column_wise.values || job.blocks == scale_blocks::squares;
    S const* const source = args.source + at.tile_row * kTile * job.pitch + at.tile_col * kTile;
    float const* const scales = kHasScales ? job.source_scales + at.tile_row * kTile * job.source_scale_row_stride +
                                                 at.tile_col * job.source_scale_block_stride
                                           : nullptr;
    int const c = block.thread() % kAcross * V, inside = at.cols - c;
    std::int64_t const step = kDown * job.pitch;
    S const* from = source + block.thread() / kAcross * job.pitch + c;
    [[maybe_unused]] D* to = nullptr;
    if constexpr (Writes) to = row_address(job, at, block.thread() / kAcross, c);
    CORNERTURN_NO_UNROLL
    for (int first = block.thread() / kAcross; first < kTile; first += kLoads * kDown, from += kLoads * step) {
      alignas(kUnitBytes) S loaded[kLoads][V] = {};
      float scale[kLoads] = {};
      CUTE_UNROLL
      for (int n = 0; n < kLoads; ++n) {
        int const row = first + n * kDown;
        CUTE_UNROLL
        for (int v = 0; v < V; v += Width)
          block.template global_load<Width>(from + n * step + v, &loaded[n][v], row < at.rows && v < inside);
        if constexpr (kHasScales)
          block.template global_load<1>(scales + row * job.source_scale_row_stride, &scale[n], row < at.rows && inside > 0);
      }
      std::uint32_t row_most[kLoads] = {};
      CUTE_UNROLL
      for (int n = 0; n < kLoads; ++n) {
        alignas(kUnitBytes) std::uint32_t words[kWords];
        words_of<Width>(loaded[n], scale[n], inside, words);
        CUTE_UNROLL
        for (int w = 0; w < kWords; ++w) {
          most[w] = element::larger_magnitudes<T>(most[w], words[w]);
          row_most[n] = element::larger_magnitudes<T>(row_most[n], words[w]);
        }
        CUTE_UNROLL
        for (int w = 0; w < kWords; w += 4)
          block.template shared_store<4>(tile + word_at(first + n * kDown, c / kWord) + w, words + w, keeps);
      }
      if constexpr (Writes) {
        std::int64_t const to_step = kDown * job.row_wise.pitch;
        float factor[kLoads] = {given, given, given, given};
        if (job.blocks == scale_blocks::row_blocks) find_rows(block, job, at, first, row_most, factor);
        CUTE_UNROLL
        for (int n = 0; n < kLoads; ++n) {
          std::uint32_t words[kWords];
          words_of<Width>(loaded[n], scale[n], inside, words);
          write_row(block, words, factor[n], job.writes_rows && inside >= V, first + n * kDown < at.rows, inside, to + n * to_step);
        }
        to += kLoads * to_step;
      }
    }
  }

  /// Finds the factors of the rows that a thread has elements of, and stores their scales.
  template <class Block>
  CUTE_HOST_DEVICE static void find_rows(Block& block, quantize_job const& job, place const& at, int first,
                                         std::uint32_t const (&most)[kLoads], float (&factor)[kLoads]) {
    using rows = row_exchange<T, kAcross>;
    auto const amax = element::largest_magnitude<T>(rows::reduce(block, most));
    auto const each = element::scale_of(std::bit_cast<float>(amax), job.recipe);
    int const row = first + rows::row_of(block.thread()) * kDown;
    store_scale(block, job.row_wise, at.tile_row * kTile + row, at.tile_col, each, row < at.rows);
    rows::gather(block, each.factor, factor);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void store_scale(Block& block, quantized_matrix const& output, std::int64_t line, std::int64_t along,
                                           element::block_scale const& each, bool active) {
    block.template global_store<1>(output.scales + line * output.scale_row_stride + along * output.scale_block_stride,
                                   &each.scale, active);
  }

  /// Stores the magnitudes of columns, and of the whole, that a warp finds, if they are needed.
  template <class Block>
  CUTE_HOST_DEVICE static void store_magnitudes(Block& block, quantize_job const& job, std::uint32_t (&most)[kWords],
                                                std::uint32_t* magnitudes) {
    int const lane = block.thread() % kWarp, warp = block.thread() / kWarp;
    if (job.column_wise.values && job.blocks == scale_blocks::row_blocks) {
      CUTE_UNROLL
      for (int mask = kAcross; mask < kWarp; mask *= 2) {
        std::uint32_t other[kWords];
        std::memcpy(other, most, sizeof(most));
        block.shfl_xor(other, mask);
        CUTE_UNROLL
        for (int w = 0; w < kWords; ++w) most[w] = element::larger_magnitudes<T>(most[w], other[w]);
      }
      CUTE_UNROLL
      for (int w = 0; w < kWords; w += 4)
        block.template shared_store<4>(magnitudes + warp * kRowWords + lane % kAcross * kWords + w, most + w, lane < kAcross);
    }
    if (job.blocks != scale_blocks::squares && !job.amax) return;
    std::uint32_t all = 0;
    CUTE_UNROLL
    for (int w = 0; w < kWords; ++w) all = element::larger_magnitudes<T>(all, most[w]);
    all = largest_of_lanes<T>(block, all, kWarp);
    block.template shared_store<1>(magnitudes + kWarps * kRowWords + warp, &all, lane == 0);
  }

  /// Finds the largest magnitude of the whole tile and, if it is a square with one scale, that scale.
  template <class Block>
  CUTE_HOST_DEVICE static void find_whole(Block& block, quantize_job const& job, place const& at, std::uint32_t const* magnitudes,
                                          element::block_scale& all) {
    bool const is_square = job.blocks == scale_blocks::squares;
    if (!is_square && !job.amax) return;
    alignas(kUnitBytes) std::uint32_t each[kWarps];
    std::uint32_t most = 0;
    CUTE_UNROLL
    for (int n = 0; n < kWarps; n += 4) block.template shared_load<4>(magnitudes + n, each + n);
    CUTE_UNROLL
    for (int n = 0; n < kWarps; ++n) most = element::larger_magnitudes<T>(most, each[n]);
    std::int32_t const amax = element::largest_magnitude<T>(most);
    if (job.amax && block.thread() == 0) block.atomic_max(reinterpret_cast<int*>(job.amax), amax);
    if (!is_square) return;
    all = element::scale_of(std::bit_cast<float>(amax), job.recipe);
    store_scale(block, job.row_wise, at.tile_row, at.tile_col, all, block.thread() == 0 && job.row_wise.values);
    store_scale(block, job.column_wise, at.tile_col, at.tile_row, all, block.thread() == 0 && job.column_wise.values);
  }

  /// Finds the factors of a word's columns, and stores their scales if `stores`.
  template <class Block>
  CUTE_HOST_DEVICE static void find_columns(Block& block, quantize_job const& job, place const& at,
                                            std::uint32_t const* magnitudes, int word, bool stores, float (&factor)[kWord]) {
    std::uint32_t most = 0;
    CUTE_UNROLL
    for (int n = 0; n < kWarps; ++n) {
      std::uint32_t each;
      block.template shared_load<1>(magnitudes + n * kRowWords + word, &each);
      most = element::larger_magnitudes<T>(most, each);
    }
    CUTE_UNROLL
    for (int w = 0; w < kWord; ++w) {
      int const c = word * kWord + w;
      auto const each = element::scale_of(std::bit_cast<float>(element::magnitude_of<T>(most, w)), job.recipe);
      store_scale(block, job.column_wise, at.tile_col * kTile + c, at.tile_row, each, stores && c < at.cols);
      factor[w] = each.factor;
    }
  }

  /// The place of an element of the tile in the output along rows.
  CUTE_HOST_DEVICE static D* row_address(quantize_job const& job, place const& at, int row, int c) {
    return static_cast<D*>(job.row_wise.values) + (at.tile_row * kTile + row) * job.row_wise.pitch + at.tile_col * kTile + c;
  }

  /// Changes the words of a vector and stores them as `store_run` does.
  template <class Block>
  CUTE_HOST_DEVICE static void write_row(Block& block, std::uint32_t const (&words)[kWords], float factor, bool is_vector,
                                         bool active, int count, D* to) {
    float numbers[V];
    CUTE_UNROLL
    for (int v = 0; v < V; ++v) numbers[v] = element::number_at<T>(words[v / kWord], v % kWord) * factor;
    store_run(block, numbers, is_vector, active, count, to);
  }

  /// Writes rows from shared memory.
  template <class Block>
  CUTE_HOST_DEVICE static void write_rows(Block& block, quantize_job const& job, place const& at, std::uint32_t const* tile,
                                          float factor) {
    int const c = block.thread() % kAcross * V, count = at.cols - c;
    bool const is_vector = job.writes_rows && count >= V;
    D* const to = row_address(job, at, 0, c);
    CUTE_UNROLL
    for (int n = 0; n < kTile / kDown; ++n) {
      int const row = block.thread() / kAcross + n * kDown;
      alignas(kUnitBytes) std::uint32_t words[kWords];
      CUTE_UNROLL
      for (int w = 0; w < kWords; w += 4) block.template shared_load<4>(tile + word_at(row, c / kWord) + w, words + w);
      write_row(block, words, factor, is_vector, row < at.rows, count, to + row * job.row_wise.pitch);
    }
  }

  /// A thread has runs of a word's columns. Two neighbouring threads have a whole sector of the output.
  template <class Block>
  CUTE_HOST_DEVICE static void write_columns(Block& block, quantize_job const& job, place const& at, std::uint32_t const* tile,
                                             std::uint32_t const* magnitudes, element::block_scale const& all) {
    static_assert(kThreads % (2 * kRowWords) == 0);
    constexpr int kStep = kThreads / kRowWords;  ///< runs that all threads have at once
    int const word = block.thread() / 2 % kRowWords, c = word * kWord;
    int const first = block.thread() / (2 * kRowWords) * 2 + block.thread() % 2;
    float factor[kWord];
    CUTE_UNROLL
    for (int w = 0; w < kWord; ++w) factor[w] = all.factor;
    if (job.blocks == scale_blocks::row_blocks) find_columns(block, job, at, magnitudes, word, first < 2, factor);
    D* to = static_cast<D*>(job.column_wise.values) + (at.tile_col * kTile + c) * job.column_wise.pitch + at.tile_row * kTile;
    CORNERTURN_NO_UNROLL
    for (int r = first * kRun; r < kTile; r += kStep * kRun) {
      std::uint32_t const* const from = tile + word_at(r, word);  // the words below are at equal distances
      float numbers[kWord][kRun];
      CUTE_UNROLL
      for (int v = 0; v < kRun; ++v) {
        std::uint32_t each;
        block.template shared_load<1>(from + v * kRowWords, &each);
        CUTE_UNROLL
        for (int w = 0; w < kWord; ++w) numbers[w][v] = element::number_at<T>(each, w) * factor[w];
      }
      CUTE_UNROLL
      for (int w = 0; w < kWord; ++w)
        store_run(block, numbers[w], job.writes_columns && at.rows - r >= kRun, c + w < at.cols, at.rows - r,
                  to + w * job.column_wise.pitch + r);
    }
  }
};

}  // namespace cornerturn::tile
