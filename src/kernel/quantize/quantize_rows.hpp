#pragma once

#include <bit>
#include <cstdint>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "element/block_scale.hpp"
#include "element/magnitude.hpp"
#include "kernel/quantize/exchange.hpp"
#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/source_tile.hpp"
#include "kernel/quantize/store.hpp"

namespace cornerturn::tile {

/// Quantises a matrix along its rows, with one scale per row, from one read. The threads that share a row keep its vectors in
/// registers until they have found its largest magnitude together. Rows of the matrix and of the output consist of whole
/// vectors.
template <class S, class D>
struct quantize_rows {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kQuantizeThreads, kBlocks = 3, kWarps = kThreads / kWarp;
  static constexpr int V = source_tile<S>::V, kWords = source_tile<S>::kWords, kWord = source_tile<S>::kWord;
  static constexpr int kSharedBytes = kWarps * 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, quantize_args<S> const& args) {
    // Shift into the block: a thread's row and columns.
    quantize_job const& job = args.job;
    int const across = job.row_threads, thread = block.thread() % across, in_block = block.thread() / across;
    std::int64_t const row = std::int64_t(block.index()) * (kThreads / across) + in_block;
    bool const is_inside = row < job.rows;
    int const cols = int(job.cols);  // at most the number that a block's threads keep
    auto const column = [&](int n) { return (n * across + thread) * V; };

    // Load: all vectors of a thread.
    alignas(kUnitBytes) std::uint32_t words[kRowVectors][kWords] = {};
    S const* const from = args.source + row * job.pitch;
    CUTE_UNROLL
    for (int n = 0; n < kRowVectors; ++n)
      block.template global_load<V>(from + column(n), reinterpret_cast<S*>(words[n]), is_inside && column(n) < cols);

    // Exchange in shared memory: the largest magnitude of a row, and so its scale.
    std::uint32_t most = 0;
    CUTE_UNROLL
    for (int n = 0; n < kRowVectors; ++n) CUTE_UNROLL
    for (int w = 0; w < kWords; ++w) most = element::larger_magnitudes<S>(most, words[n][w]);
    auto const amax = largest_of_row(block, across, largest_of_lanes<S>(block, most, kWarp));
    auto const each = element::scale_of(std::bit_cast<float>(amax), job.recipe);
    bool const is_first = thread == 0 && is_inside;
    block.template global_store<1>(job.row_wise.scales + row * job.row_wise.scale_row_stride, &each.scale, is_first);
    if (job.amax && is_first) block.atomic_max(reinterpret_cast<int*>(job.amax), amax);

    // Change, store.
    D* const to = static_cast<D*>(job.row_wise.values) + row * job.row_wise.pitch;
    CUTE_UNROLL
    for (int n = 0; n < kRowVectors; ++n) {
      float numbers[V];
      CUTE_UNROLL
      for (int v = 0; v < V; ++v) numbers[v] = element::number_at<S>(words[n][v / kWord], v % kWord) * each.factor;
      store_run(block, numbers, true, is_inside && column(n) < cols, V, to + column(n));
    }
  }

 private:
  /// The bits of the largest magnitude that the `across` threads of a row have. `most` has the largest of this thread's warp.
  template <class Block>
  CUTE_HOST_DEVICE static std::int32_t largest_of_row(Block& block, int across, std::uint32_t most) {
    auto* const magnitudes = block.template shared<std::uint32_t, kWarps>();
    int const warp = block.thread() / kWarp, warps = across / kWarp, first = warp / warps * warps;
    block.template shared_store<1>(magnitudes + warp, &most, block.thread() % kWarp == 0);
    block.sync();
    CORNERTURN_NO_UNROLL
    for (int n = 0; n < warps; ++n) {
      std::uint32_t each;
      block.template shared_load<1>(magnitudes + first + n, &each);
      most = element::larger_magnitudes<S>(most, each);
    }
    return element::largest_magnitude<S>(most);
  }
};

}  // namespace cornerturn::tile
