#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "element/magnitude.hpp"
#include "kernel/quantize/plan.hpp"
#include "kernel/quantize/source_tile.hpp"

namespace cornerturn::tile {

/// Finds the largest magnitudes of a matrix's rows if there is an output along rows, and of its columns if there is one along
/// columns. A block has the tile of `quantize`, and raises the magnitudes in global memory to those that it finds.
/// Blocks begin with the last tile, because the launch of `quantize`, which begins with the first one, then finds tiles in the
/// L2 cache.
template <class S>
struct quantize_amax {
  using place = source_tile<S>;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = place::kThreads, kBlocks = place::kHasScales ? 3 : 4;
  static constexpr int kSharedBytes = place::kColumnWords * 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, quantize_args<S> const& args) {
    // Shift into the block: its tile.
    quantize_job const& job = args.job;
    auto const at = place::at(job, int(job.tiles() - 1 - block.index()));

    // Load, raise: the magnitudes of rows among a load's threads, those of columns among the block's.
    std::uint32_t columns[place::kWords] = {};  // the largest magnitudes of the columns that a thread reads
    job.reads_vectors ? read<place::V>(block, args, at, columns) : read<1>(block, args, at, columns);
    if (job.column_wise.values) raise_columns(block, job, at, columns);
  }

 private:
  /// Reads the tile, `Width` elements at once, and finds the magnitudes of rows, if they are needed.
  template <int Width, class Block>
  CUTE_HOST_DEVICE static void read(Block& block, quantize_args<S> const& args, place const& at,
                                    std::uint32_t (&columns)[place::kWords]) {
    using exchange = typename place::exchange;
    quantize_job const& job = args.job;
    int const thread = block.thread(), inside = at.cols - place::column_of(thread);
    std::int64_t const step = place::kDown * job.pitch;
    S const* from =
        args.source + (at.first_row() + place::row_of(thread)) * job.pitch + at.first_col() + place::column_of(thread);
    CORNERTURN_NO_UNROLL
    for (int first = place::row_of(thread); first < place::kTile;
         first += place::kLoads * place::kDown, from += place::kLoads * step) {
      alignas(kUnitBytes) S loaded[place::kLoads][place::V] = {};
      float scale[place::kLoads] = {};
      at.template load<Width>(block, job, from, first, loaded, scale);
      std::uint32_t rows[place::kLoads] = {};
      CUTE_UNROLL
      for (int n = 0; n < place::kLoads; ++n) {
        alignas(kUnitBytes) std::uint32_t words[place::kWords];
        place::template words_of<Width>(loaded[n], scale[n], inside, words);
        place::raise(words, columns, rows[n]);
      }
      if (!job.row_wise.values) continue;
      auto const amax = element::largest_magnitude<typename place::T>(exchange::reduce(block, rows));
      int const row = first + exchange::row_of(thread) * place::kDown;
      if (exchange::is_first(thread) && row < at.rows) block.atomic_max(job.row_amax(at.first_row() + row), amax);
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void raise_columns(Block& block, quantize_job const& job, place const& at,
                                             std::uint32_t (&columns)[place::kWords]) {
    auto* const magnitudes = block.template shared<std::uint32_t, place::kColumnWords>();
    place::store_columns(block, columns, magnitudes);
    block.sync();
    int const word = block.thread();
    if (word >= place::kRowWords) return;
    auto const most = place::load_columns(block, magnitudes, word);
    CUTE_UNROLL
    for (int w = 0; w < place::kWord; ++w) {
      int const c = word * place::kWord + w;
      auto const amax = element::magnitude_of<typename place::T>(most, w);
      if (c < at.cols) block.atomic_max(job.column_amax(at.first_col() + c), amax);
    }
  }
};

}  // namespace cornerturn::tile
