#pragma once

#include <cstdint>
#include <type_traits>

#include <cute/tensor.hpp>

#include "kernel/gather/job.hpp"
#include "kernel/gather/place_table.hpp"
#include "kernel/gather/vector_span.hpp"
#include "tile/decoded_index.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/kernel_args.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

using namespace cute;

/// Counts pairs (slow, fast) in steps of a block's threads, with no division but the first; and the steps.
struct stepping {
  int slow, fast, slow_step, fast_step, fast_end, steps = 0;

  CUTE_HOST_DEVICE stepping(fast_divmod const& radix, int first, int step) : fast_end(radix.divisor) {
    radix(slow, fast, first);
    radix(slow_step, fast_step, step);
  }
  CUTE_HOST_DEVICE void next() {
    ++steps;
    slow += slow_step;
    fast += fast_step;
    if (fast >= fast_end) {
      fast -= fast_end;
      ++slow;
    }
  }
};

/// The rows of a block's tile on both sides, and where they are in shared memory. `Offset` counts bytes within a tile.
template <class T, class Offset, int M_V, bool Ragged>
struct tile_rows {
  using table = place_table<M_V, Ragged>;
  static constexpr int V = M_V, kSize = int(sizeof(T)), kUnit = 16, kVector = V * kSize, kThreads = 256;
  static constexpr int kWord = kSize < 4 ? 4 / kSize : 1;  ///< elements that are stored at once where a row begins or ends

  /// Bytes from the tile's first unit or element, the place in shared memory, and how many units or elements there are. A
  /// destination row says too whether it begins where its mode begins and, where there is room, which vectors it has.
  struct alignas(16) narrow_row {
    int offset, at, count;
    vector_span vectors{};
  };
  struct alignas(16) wide_row {
    std::int64_t offset;
    int at, count;
  };
  static constexpr bool kEachThread = kSize > 2;  ///< counts its tile; else one warp does, and instructions are spared
  static constexpr bool kNarrow = sizeof(Offset) == 4;
  using row = std::conditional_t<kNarrow, narrow_row, wide_row>;
  CUTE_HOST_DEVICE static int elements(row const& each) { return each.count >> 1; }
  CUTE_HOST_DEVICE static bool begins(row const& each) { return each.count & 1; }

  kernel_args<T, gather_job> const& args;
  gather_job const& job;
  char* shared;
  row *source_rows, *destination_rows;
  char* places;
  std::uintptr_t source;  ///< addresses of the tile's first element
  char* destination;
  int shift;                   ///< bytes from a unit's beginning to that element
  int run_left, vectors_left;  ///< of the modes that tiles cut, as far as it matters
  bool begins_here;            ///< the vectors' cut mode does
  bool inside;                 ///< memory goes on for a unit on both sides of what the tile reads

  /// Brings the block's tile into shared memory.
  template <class Block>
  CUTE_HOST_DEVICE tile_rows(Block& block, kernel_args<T, gather_job> const& given) : args(given), job(given.job) {
    shared = block.template shared<char, 1>();
    static_assert(sizeof(typename Block::mbarrier) <= gather_job::kSumAt);
    auto& arrived = *block.template shared<typename Block::mbarrier, 1>(job.head_at);
    if (Block::kHasBulkCopy && job.by_rows) {
      if (block.thread() == 0) {
        block.mbarrier_init(arrived);
        block.fence_barrier_init();
      }
      if (kEachThread) block.sync();
    }
    auto const tile = decode_block_index<kEachThread, std::int64_t>(block, job, job.outer, shared + job.head_at + job.kSumAt);
    source = reinterpret_cast<std::uintptr_t>(args.source) + std::uintptr_t(tile.source);
    destination = reinterpret_cast<char*>(args.destination) + tile.destination;
    shift = within_unit(source);
    run_left = clamped(job.run_extent - tile.run_index, job.run_reach);
    vectors_left = clamped(job.vector_extent - tile.vector_index, job.vector_reach + 1);
    begins_here = tile.vector_index == 0;
    source_rows = reinterpret_cast<row*>(shared + job.rows_at);
    destination_rows = source_rows + job.source_rows;
    places = shared + job.places_at;
    inside =
        source + std::uintptr_t(job.tile_low) >= args.source_begin && source + std::uintptr_t(job.tile_high) <= args.source_end;
    bool const by_rows = Block::kHasBulkCopy && job.by_rows && inside;
    tabulate_source(block, by_rows, arrived);
    tabulate(block);
    block.sync();
    if (by_rows) {
      if (block.thread() == 0) block.mbarrier_arrive(arrived);
      block.mbarrier_wait(arrived, 0);
    } else {
      fetch(block);
      block.cp_async_wait_all();
      block.sync();
    }
  }

  /// Where V elements of a destination row from `i` on are in shared memory, word j of them as number j ^ `swapped`.
  template <class Block>
  CUTE_HOST_DEVICE void places_of(Block& block, row const& each, int i, int swapped, char const* (&found)[V]) const {
    char const* const from = block.opaque_address(shared + each.at + repeated(i));
    table::load(block, places, job.places_pitch, i, from, swapped, found);
  }
  /// Calls store(row, first, to) for every whole vector of the destination rows: its first element, and where it belongs.
  template <class Block, class Store>
  CUTE_HOST_DEVICE void for_vectors(Block& block, Store const& store) const {
    int stand, lane;
    job.lanes(stand, lane, block.thread());
    if (stand >= job.stands) return;
    for (stepping at(job.rows, stand, job.stands); at.slow < job.stores; at.next()) {
      [[maybe_unused]] auto const mark = block.iteration(at.steps);
      row each;
      block.template shared_load<1>(&destination_rows[at.fast], &each);
      vector_span const vectors = vectors_of(each);
      int const number = at.slow * job.lanes.divisor + lane - vectors.lane(), first = vectors.head() + number * kVector;
      if (unsigned(number) < unsigned(vectors.count()))
        store(each, first >> log2_of(kSize), reinterpret_cast<T*>(destination + (each.offset + first)));
    }
  }

  /// Moves the elements of destination rows that are in no whole vector, a word of them a thread: take(from, to, active) gives
  /// one.
  template <class Block, class Take>
  CUTE_HOST_DEVICE void move_ends(Block& block, Take const& take) const {
    bool const heads = job.halo == 0 || begins_here, tails = job.halo == 0 || vectors_left <= job.vector_reach;
    if (!heads && !tails) return;
    int const log_words = job.log_grain - log2_of(kWord * kSize), words = 1 << log_words, log_ends = log_words + (heads && tails);
    for (int i = block.thread(); i < job.destination_rows << log_ends; i += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(i / kThreads);
      row each;
      block.template shared_load<1>(&destination_rows[i >> log_ends], &each);
      vector_span const vectors = vectors_of(each);
      int const head = vectors.head(), tail = head + vectors.count() * kVector, bytes = elements(each) * kSize,
                word = (i & (words - 1)) * kWord * kSize;
      bool const is_tail = !heads || (tails && i & words), mine = job.halo == 0 || (is_tail ? tail < owned(head) : begins(each));
      if (mine)
        move(block, each, is_tail ? tail + word : head - word - kWord * kSize, is_tail ? tail : 0,
             is_tail ? bytes : min(head, bytes), take);
    }
  }

 private:
  CUTE_HOST_DEVICE static int clamped(std::int64_t count, int most) { return count < most ? int(count) : most; }
  template <class Count>
  CUTE_HOST_DEVICE static int within_unit(Count bytes) {
    return int(bytes) & (kUnit - 1);
  }
  CUTE_HOST_DEVICE int spread(int column) const { return (column >> job.log_together) * kUnit; }

  /// Where elements are alike after a period, makes `i` the one in the table; how many bytes further on the asked one is.
  CUTE_HOST_DEVICE int repeated(int& i) const {
    if (job.period_bytes == 0) return 0;
    int period;
    job.period(period, i, i);
    return period * job.period_bytes;
  }

  /// A row's address, as far as alignment goes.
  CUTE_HOST_DEVICE std::uint32_t address_of(row const& each) const {
    return std::uint32_t(reinterpret_cast<std::uintptr_t>(destination)) + std::uint32_t(each.offset);
  }
  /// Bytes of a row before its first whole grain.
  CUTE_HOST_DEVICE int head_of(row const& each) const { return int(-address_of(each) & ((1u << job.log_grain) - 1)); }
  /// Bytes of a row before the first grain that another tile writes: one that begins past the tile's own elements.
  CUTE_HOST_DEVICE int owned(int head) const {
    int const grain = 1 << job.log_grain;
    return head + ((job.vector_elements * kSize - head + grain - 1) & -grain);
  }
  CUTE_HOST_DEVICE vector_span vectors_of(row const& each) const {
    if constexpr (kNarrow)
      return each.vectors;
    else
      return find_vectors(each);
  }
  CUTE_HOST_DEVICE vector_span find_vectors(row const& each) const {
    int const head = Ragged ? head_of(each) : 0, bytes = elements(each) * kSize,
              before = int((address_of(each) + unsigned(head)) & unsigned(job.line_mask));
    int whole = bytes < head ? 0 : (bytes - head) / kVector;
    if (Ragged) whole = min(whole, (owned(head) - head) / kVector);
    return {head, before / kVector, whole};
  }

  /// Those of a word's bytes, from `at` on, that are from `begin` to `end`.
  template <class Block, class Take>
  CUTE_HOST_DEVICE void move(Block& block, row const& each, int at, int begin, int end, Take const& take) const {
    if (at + kWord * kSize <= begin || at >= end) return;
    int const first = at / kSize, from = begin / kSize, last = end / kSize - 1;
    int i = first;
    char const* const row_from = block.opaque_address(shared + each.at + (first > 0 ? repeated(i) : 0));
    char const* found[kWord];
    table::load(block, places, job.places_pitch, i, row_from, 0, found);
    alignas(kWord * kSize) T word[kWord];
    T* const to = reinterpret_cast<T*>(destination + each.offset) + first;
    if constexpr (kWord > 1)
      if (at < begin || at + kWord * kSize > end) {
        [[maybe_unused]] auto const mark = block.iteration(0);
        CUTE_UNROLL
        for (int j = 0; j < kWord; ++j) {
          bool const inside = first + j >= from && first + j <= last;
          take(found[j], &word[j], inside);
          block.template global_store<1>(to + j, &word[j], inside);
        }
        return;
      }
    CUTE_UNROLL
    for (int j = 0; j < kWord; ++j) take(found[j], &word[j], true);
    block.template global_store<kWord>(to, word, true);
  }

  /// Finds the source rows; and fetches them, or writes them down for `fetch`.
  template <class Block, class Barrier>
  CUTE_HOST_DEVICE void tabulate_source(Block& block, bool by_rows, Barrier& arrived) const {
    using sum = decoded_index<Offset>;
    auto const first_unit = source - std::uintptr_t(shift);
    for (int i = block.thread(); i < job.source_rows; i += kThreads) {
      int batch, column;
      job.columns_per_batch(batch, column, i);
      sum const of_batch(job, job.batch, batch), of_column(job, job.columns, column);
      int n = min(run_left - int(of_batch.run_index + of_column.run_index), job.run_part);
      if (of_batch.vector_index + of_column.vector_index >= vectors_left) n = 0;
      int const low = job.run_low + (job.run_step < 0 ? (n - 1) * job.run_step : 0),
                bytes = (n - 1) * (job.run_step < 0 ? -job.run_step : job.run_step) + job.run_rest,
                at = job.lines_origin + job.vectors_origin + of_batch.smem_offset + within_unit(of_batch.source) +
                     of_column.smem_offset + spread(column) + within_unit(shift + within_unit(of_column.source)) + low;
      Offset const begin = shift + of_batch.source + of_column.source + low;
      row const each{begin - within_unit(begin), at - within_unit(at),
                     n <= 0 ? 0 : (within_unit(begin) + bytes + kUnit - 1) / kUnit};
      if constexpr (Block::kHasBulkCopy)
        if (by_rows) {
          if (each.count > 0)
            block.bulk_copy(reinterpret_cast<char const*>(first_unit + std::uintptr_t(each.offset)), shared + each.at,
                            each.count * kUnit, arrived);
          continue;
        }
      block.template shared_store<1>(&source_rows[i], &each);
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE void tabulate(Block& block) const {
    using sum = decoded_index<Offset>;
    for (int i = kThreads - 1 - block.thread(); i < job.destination_rows; i += kThreads) {
      int batch, line;
      job.lines_per_batch(batch, line, i);
      sum const of_batch(job, job.batch, batch), of_line(job, job.lines, line);
      int n = min(vectors_left - int(of_batch.vector_index), job.vector_part + job.halo);
      if (n < 0 || of_batch.run_index + of_line.run_index >= run_left) n = 0;
      bool const begins = begins_here && of_batch.vector_index == 0;
      row each{of_batch.destination + of_line.destination,
               job.lines_origin + of_batch.smem_offset + within_unit(of_batch.source) + of_line.smem_offset,
               n * job.vector_rest * 2 + begins};
      if constexpr (kNarrow) each.vectors = find_vectors(each);
      block.template shared_store<1>(&destination_rows[i], &each);
    }
    int const last = (job.vector_part + job.halo) * job.vector_rest - 1;  // whose place those past it have
    for (int i = (block.thread() + kThreads / 2) % kThreads; i < job.places; i += kThreads) {
      int const element = i - table::kForm.before();
      sum const of_vector(job, job.vectors, element < 0 ? 0 : min(element, last));
      table::store(block, places, job.places_pitch, i,
                   job.vectors_origin + of_vector.smem_offset + spread(int(of_vector.destination)) +
                       within_unit(shift + within_unit(of_vector.source)));
    }
  }

  /// Whole units; where memory begins or ends within one, its elements.
  template <class Block>
  CUTE_HOST_DEVICE void fetch(Block& block) const {
    auto const first_unit = source - std::uintptr_t(shift);
    auto const for_units = [&](auto const& visit) {
      for (stepping unit(job.loads, block.thread(), kThreads); unit.slow < job.source_rows; unit.next()) {
        [[maybe_unused]] auto const mark = block.iteration(unit.steps);
        row each;
        block.template shared_load<1>(&source_rows[unit.slow], &each);
        int const off = unit.fast * kUnit;
        if (unit.fast < each.count) visit(first_unit + std::uintptr_t(each.offset + off), shared + each.at + off);
      }
    };
    auto const bring = [&](std::uintptr_t from, char* to) { block.cp_async(reinterpret_cast<char const*>(from), to); };
    if (inside)
      for_units(bring);
    else
      for_units([&](std::uintptr_t from, char* to) {
        if (from >= args.source_begin && from + kUnit <= args.source_end)
          bring(from, to);
        else
          fetch_elements<T>(block, from, to, args.source_begin, args.source_end);
      });
  }
};

}  // namespace cornerturn::tile
