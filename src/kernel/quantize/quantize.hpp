#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "cornerturn/tile.cuh"
#include "element/block_scale.hpp"
#include "element/magnitude.hpp"
#include "element/words.hpp"
#include "kernel/quantize/exchange.hpp"
#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/source_tile.hpp"
#include "kernel/quantize/store.hpp"

namespace cornerturn::tile {

/// Quantises a matrix to 8-bit floats, along its rows, along its columns or both. A block has a tile of 128 x 128 elements.
/// Threads that share a row exchange its largest magnitude, change its elements and store them without shared memory. Columns
/// come from shared memory, and so do rows if the whole tile has one scale. Each thread changes runs of 16 elements of a column,
/// and a run becomes one vector of the output. If a whole row has one scale, `quantize_amax` has found the largest magnitude
/// before.
template <class S, class D>
struct quantize {
  using place = source_tile<S>;
  using T = typename place::T;
  static constexpr bool kOverlaps = true, kHasScales = place::kHasScales;
  static constexpr int kThreads = place::kThreads, kBlocks = kHasScales ? 2 : sizeof(T) == 2 ? 4 : 3, kWarps = place::kWarps;
  static constexpr int kTile = place::kTile, kRun = 16, V = place::V, kAcross = place::kAcross, kDown = place::kDown;
  static constexpr int kWord = place::kWord, kRowWords = place::kRowWords, kWords = place::kWords, kLoads = place::kLoads;
  static constexpr int kElementBytes = kTile * kTile * int(sizeof(T));
  /// After the elements come the magnitudes of columns and of the whole tile that each warp finds among its rows.
  static constexpr int kMagnitudes = place::kColumnWords + kWarps;
  static constexpr int kSharedBytes = kElementBytes + kMagnitudes * 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, quantize_args<S> const& args) {
    // Shift into the block: its tile.
    quantize_job const& job = args.job;
    auto const at = place::at(job, int(block.index()));
    auto* const tile = block.opaque_address(block.template shared<std::uint32_t, kTile * kRowWords>());
    auto* const magnitudes = block.opaque_address(block.template shared<std::uint32_t, kMagnitudes>(kElementBytes));

    // Load: the given scale, then the tile. Rows are stored here, too, unless the whole tile has one scale.
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

    // Exchange in shared memory: elements and magnitudes.
    store_magnitudes(block, job, most, magnitudes);
    block.sync();
    find_whole(block, job, at, magnitudes + place::kColumnWords, all);

    // Store: rows of tiles with one scale, columns.
    if (job.row_wise.values && is_square) write_rows(block, job, at, tile, all.factor);
    if (job.column_wise.values) write_columns(block, job, at, tile, magnitudes, all);
  }

 private:
  /// The index of a word in shared memory. The two threads that store to one sector of a column's output read different banks.
  /// For example, word 5 of row 16 is at word 5 ^ 16 = 21 of that row, and word 5 of row 15 or 32 is at word 5.
  CUTE_HOST_DEVICE static int word_at(int row, int word) { return word_below(word, row); }
  /// The index of the word that is `rows` rows below the one at index `at`, if no bit is set in `rows` and in the row of the
  /// latter.
  CUTE_HOST_DEVICE static int word_below(int at, int rows) {
    constexpr xor_swizzle kSwizzle{1, detail::log2_exact(kRun), detail::log2_exact(kRowWords)};
    return (at ^ kSwizzle.change(rows * kRowWords)) + rows * kRowWords;
  }

  /// Reads the tile, `Width` elements at once. Elements past the ends of the matrix are 0. With `Writes` it writes rows, with the
  /// row's own scale or `given`. It stores the elements in shared memory if they are needed again.
  template <int Width, bool Writes, class Block>
  CUTE_HOST_DEVICE static void read(Block& block, quantize_args<S> const& args, place const& at, float given, std::uint32_t* tile,
                                    std::uint32_t (&most)[kWords]) {
    quantize_job const& job = args.job;
    bool const keeps = job.column_wise.values || job.blocks == scale_blocks::squares;
    int const first_row = place::row_of(block.thread()), c = place::column_of(block.thread()), inside = at.cols - c;
    std::int64_t const step = kLoads * kDown * job.pitch;
    S const* from = args.source + (at.first_row() + first_row) * job.pitch + at.first_col() + c;
    [[maybe_unused]] D* to = nullptr;
    if constexpr (Writes) to = row_address(job, at, first_row, c);
    CORNERTURN_NO_UNROLL
    for (int first = first_row; first < kTile; first += kLoads * kDown, from += step) {
      alignas(kUnitBytes) S loaded[kLoads][V] = {};
      float scale[kLoads] = {};
      at.template load<Width>(block, job, from, first, loaded, scale);
      std::uint32_t row_most[kLoads] = {};
      int const at_first = word_at(first, c / kWord);
      CUTE_UNROLL
      for (int n = 0; n < kLoads; ++n) {
        alignas(kUnitBytes) std::uint32_t words[kWords];
        place::template words_of<Width>(loaded[n], scale[n], inside, words);
        place::raise(words, most, row_most[n]);
        CUTE_UNROLL
        for (int w = 0; w < kWords; w += 4)
          block.template shared_store<4>(tile + word_below(at_first, n * kDown) + w, words + w, keeps);
      }
      if constexpr (Writes) {
        std::int64_t const to_step = kDown * job.row_wise.pitch;
        float factor[kLoads] = {given, given, given, given};
        if (job.has_scales_of_rows()) find_rows(block, job, at, first, row_most, factor);
        CUTE_UNROLL
        for (int n = 0; n < kLoads; ++n) {
          std::uint32_t words[kWords];
          place::template words_of<Width>(loaded[n], scale[n], inside, words);
          write_row(block, words, factor[n], job.writes_rows && inside >= V, first + n * kDown < at.rows, inside,
                    to + n * to_step);
        }
        to += kLoads * to_step;
      }
    }
  }

  /// Finds the factors of the rows that a thread has elements of, and stores their scales.
  template <class Block>
  CUTE_HOST_DEVICE static void find_rows(Block& block, quantize_job const& job, place const& at, int first,
                                         std::uint32_t const (&most)[kLoads], float (&factor)[kLoads]) {
    using exchange = typename place::exchange;
    int const row = first + exchange::row_of(block.thread()) * kDown;
    std::int32_t amax = 0;
    if (job.blocks == scale_blocks::rows)
      block.template global_load<1>(job.row_amax(at.first_row() + row), &amax, row < at.rows);
    else
      amax = element::largest_magnitude<T>(exchange::reduce(block, most));
    auto const each = element::scale_of(std::bit_cast<float>(amax), job.recipe);
    store_scale(block, job.row_wise, at.first_row() + row, at.tile_col, each, row < at.rows && job.stores_scales(at.tile_col));
    exchange::gather(block, each.factor, factor);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void store_scale(Block& block, quantized_matrix const& output, std::int64_t line, std::int64_t along,
                                           element::block_scale const& each, bool active) {
    block.template global_store<1>(output.scales + line * output.scale_row_stride + along * output.scale_block_stride,
                                   &each.scale, active);
  }

  /// Stores the magnitudes of columns and of the whole tile that a warp finds, if they are needed.
  template <class Block>
  CUTE_HOST_DEVICE static void store_magnitudes(Block& block, quantize_job const& job, std::uint32_t (&most)[kWords],
                                                std::uint32_t* magnitudes) {
    if (job.column_wise.values && job.blocks == scale_blocks::row_blocks) place::store_columns(block, most, magnitudes);
    if (job.blocks != scale_blocks::squares && !job.amax) return;
    std::uint32_t all = 0;
    CUTE_UNROLL
    for (int w = 0; w < kWords; ++w) all = element::larger_magnitudes<T>(all, most[w]);
    all = largest_of_lanes<T>(block, all, kWarp);
    block.template shared_store<1>(magnitudes + place::kColumnWords + block.thread() / kWarp, &all, block.thread() % kWarp == 0);
  }

  /// Finds the largest magnitude of the whole tile, and its scale if the tile is a square with one scale.
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
    bool const is_row = job.blocks == scale_blocks::rows;
    std::uint32_t const most = is_row ? 0 : place::load_columns(block, magnitudes, word);
    CUTE_UNROLL
    for (int w = 0; w < kWord; ++w) {
      int const c = word * kWord + w;
      std::int32_t amax = element::magnitude_of<T>(most, w);
      if (is_row) block.template global_load<1>(job.column_amax(at.first_col() + c), &amax, c < at.cols);
      auto const each = element::scale_of(std::bit_cast<float>(amax), job.recipe);
      store_scale(block, job.column_wise, at.first_col() + c, at.tile_row, each,
                  stores && c < at.cols && job.stores_scales(at.tile_row));
      factor[w] = each.factor;
    }
  }

  /// The place of an element of the tile in the output along rows.
  CUTE_HOST_DEVICE static D* row_address(quantize_job const& job, place const& at, int row, int c) {
    return static_cast<D*>(job.row_wise.values) + (at.first_row() + row) * job.row_wise.pitch + at.first_col() + c;
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
    int const c = place::column_of(block.thread()), count = at.cols - c;
    bool const is_vector = job.writes_rows && count >= V;
    int const at_first = word_at(place::row_of(block.thread()), c / kWord);
    D* const to = row_address(job, at, 0, c);
    CUTE_UNROLL
    for (int n = 0; n < kTile / kDown; ++n) {
      int const row = place::row_of(block.thread()) + n * kDown;
      alignas(kUnitBytes) std::uint32_t words[kWords];
      CUTE_UNROLL
      for (int w = 0; w < kWords; w += 4) block.template shared_load<4>(tile + word_below(at_first, n * kDown) + w, words + w);
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
    if (job.has_scales_of_rows()) find_columns(block, job, at, magnitudes, word, first < 2, factor);
    D* to = static_cast<D*>(job.column_wise.values) + (at.first_col() + c) * job.column_wise.pitch + at.first_row();
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
