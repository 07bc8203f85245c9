#pragma once

#include <cstdint>
#include <type_traits>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "kernel/gather/job.hpp"
#include "kernel/gather/offset_table.hpp"
#include "kernel/gather/strided_pair.hpp"
#include "kernel/gather/vector_span.hpp"
#include "tile/decoded_index.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/kernel_args.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The source and destination rows of a block's tile, in shared memory. `Offset` counts bytes within a tile.
template <class T, class Offset, int M_V, bool Ragged>
struct tile_rows {
  using table = offset_table<M_V, Ragged>;
  using decoded = decoded_index<Offset>;
  static constexpr int V = M_V, kSize = int(sizeof(T)), kVector = V * kSize, kThreads = kGatherThreads;
  static constexpr int kWord = kSize < 4 ? 4 / kSize : 1;  ///< elements that are stored at once at the start or end of a row

  /// A source row or a destination row. Offsets are in bytes. `offset` is in global memory, from the tile's first unit (source
  /// row) or from its first element (destination row). `packed_count` of a source row is read by `units`, and of a destination
  /// row by `elements` and `begins`.
  struct alignas(16) narrow_row {
    int offset, smem_offset, packed_count;
    vector_span vectors{};
  };
  struct alignas(16) wide_row {
    std::int64_t offset;
    int smem_offset, packed_count;
  };
  /// True if every thread decodes the block's index. If not, one warp does, which saves instructions.
  static constexpr bool kEachThread = kSize > 2;
  static constexpr bool kNarrow = sizeof(Offset) == 4;
  using row = std::conditional_t<kNarrow, narrow_row, wide_row>;
  /// The 16-byte units of a source row.
  CUTE_HOST_DEVICE static int units(row const& each) { return each.packed_count; }
  /// The elements of a destination row, and whether the row begins where the vectors' cut mode begins.
  CUTE_HOST_DEVICE static int elements(row const& each) { return each.packed_count >> 1; }
  CUTE_HOST_DEVICE static bool begins(row const& each) { return each.packed_count & 1; }

  kernel_args<T, gather_job> const& args;
  gather_job const& job;
  char* shared;
  row *source_rows, *destination_rows;
  char* offsets;
  std::uintptr_t source;       ///< address of the tile's first element
  char* destination;           ///< address of the tile's first element
  int shift;                   ///< bytes from the start of its 16-byte unit to the source's first element
  int run_left, vectors_left;  ///< indices of the cut modes from the tile on, as in `gather_job`
  bool begins_here;            ///< true if the vectors' cut mode begins in this tile
  bool inside;                 ///< true if every unit that the tile reads lies in the source

  /// Copies the block's tile to shared memory.
  template <class Block>
  CUTE_HOST_DEVICE tile_rows(Block& block, kernel_args<T, gather_job> const& given) : args(given), job(given.job) {
    // Shift into the block: its tile on both sides.
    shared = block.template shared<char, 1>();
    static_assert(sizeof(typename Block::mbarrier) <= gather_job::kDecodedOffset);
    auto& arrived = *block.template shared<typename Block::mbarrier, 1>(job.shared.head);
    if (Block::kHasTma && job.load.bulk) {
      if (block.thread() == 0) {
        block.mbarrier_init(arrived);
        block.fence_barrier_init();
      }
      if (kEachThread) block.sync();
    }
    auto const tile =
        decode_block_index<kEachThread, std::int64_t>(block, job, job.tile_digits, shared + job.shared.head + job.kDecodedOffset);
    source = reinterpret_cast<std::uintptr_t>(args.source) + std::uintptr_t(tile.source);
    destination = reinterpret_cast<char*>(args.destination) + tile.destination;
    shift = within_unit(source);
    run_left = job.run_left(tile), vectors_left = job.vectors_left(tile);
    begins_here = tile.vector_index == 0;
    source_rows = reinterpret_cast<row*>(shared + job.shared.rows);
    destination_rows = source_rows + job.load.rows;
    offsets = shared + job.shared.offsets;
    inside = job.load.is_within(source, args.source_begin, args.source_end);

    // Tables in shared memory: the rows of both sides, and the offsets of a row's elements.
    bool const bulk = Block::kHasTma && job.load.bulk && inside;
    tabulate_source(block, bulk, arrived);
    tabulate_destination(block);
    block.sync();

    // Load: source rows, whose copies have begun already with `bulk`.
    if (bulk) {
      if (block.thread() == 0) block.mbarrier_arrive(arrived);
      block.mbarrier_wait(arrived, 0);
    } else {
      load(block);
      block.cp_async_wait_all();
      block.sync();
    }
  }

  /// Finds the addresses in shared memory of V elements of a destination row from `i` on. The words of the addresses are
  /// permuted: word j has the addresses of word j ^ `word_xor`.
  template <class Block>
  CUTE_HOST_DEVICE void addresses_of(Block& block, row const& each, int i, int word_xor, char const* (&addresses)[V]) const {
    char const* const from = block.opaque_address(shared + each.smem_offset + skip_periods(i));
    table::load(block, offsets, job.table.copy_bytes, i, from, word_xor, addresses);
  }
  /// Calls store(row, first, to) for every whole vector of the destination rows, with its first element and its target.
  template <class Block, class Store>
  CUTE_HOST_DEVICE void for_vectors(Block& block, Store const& store) const {
    int group, lane;
    job.store.lanes(group, lane, block.thread());
    if (group >= job.store.lane_groups) return;
    for (strided_pair at(job.store.rows, group, job.store.lane_groups); at.slow < job.store.passes; at.next()) {
      [[maybe_unused]] auto const mark = block.iteration(at.iteration);
      row each;
      block.template shared_load<1>(&destination_rows[at.fast], &each);
      vector_span const vectors = vectors_of(each);
      int const index = at.slow * job.store.lanes.divisor + lane - vectors.lane(), first = vectors.head() + index * kVector;
      if (unsigned(index) < unsigned(vectors.count()))
        store(each, first >> log2_of(kSize), reinterpret_cast<T*>(destination + (each.offset + first)));
    }
  }

  /// Stores the elements of destination rows outside whole vectors. A thread stores a word of them. It calls take(from, to,
  /// active) to load an element.
  template <class Block, class Take>
  CUTE_HOST_DEVICE void store_ends(Block& block, Take const& take) const {
    bool const heads = job.store.halo == 0 || begins_here,
               tails = job.store.halo == 0 || vectors_left <= job.store.cut.tile_indices;
    if (!heads && !tails) return;
    int const log_words = job.store.log_granule - log2_of(kWord * kSize), words = 1 << log_words,
              log_ends = log_words + (heads && tails);
    for (int i = block.thread(); i < job.store.rows.divisor << log_ends; i += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(i / kThreads);
      row each;
      block.template shared_load<1>(&destination_rows[i >> log_ends], &each);
      vector_span const vectors = vectors_of(each);
      int const head = vectors.head(), tail = head + vectors.count() * kVector, bytes = elements(each) * kSize,
                word = (i & (words - 1)) * kWord * kSize;
      bool const is_tail = !heads || (tails && i & words),
                 mine = job.store.halo == 0 || (is_tail ? tail < owned(head) : begins(each));
      if (mine)
        store_word(block, each, is_tail ? tail + word : head - word - kWord * kSize, is_tail ? tail : 0,
                   is_tail ? bytes : min(head, bytes), take);
    }
  }

 private:
  /// Bytes of the gaps in shared memory before a source row.
  CUTE_HOST_DEVICE int gaps_before(int source_row) const { return (source_row >> job.table.log_gap_rows) * kUnitBytes; }

  /// Reduces element `i` to its equivalent in the first period, which the offset table has. Returns the bytes between the two.
  CUTE_HOST_DEVICE int skip_periods(int& i) const {
    if (job.table.period_bytes == 0) return 0;
    int period;
    job.table.period(period, i, i);
    return period * job.table.period_bytes;
  }

  /// The low 32 bits of a destination row's address, which tell its alignment.
  CUTE_HOST_DEVICE std::uint32_t low_address(row const& each) const {
    return std::uint32_t(reinterpret_cast<std::uintptr_t>(destination)) + std::uint32_t(each.offset);
  }
  /// Bytes of a row before its first whole granule.
  CUTE_HOST_DEVICE int head_of(row const& each) const { return int(-low_address(each) & ((1u << job.store.log_granule) - 1)); }
  /// Bytes of a row before the first granule that another tile writes. This granule is the first one that begins after the tile's
  /// own elements.
  CUTE_HOST_DEVICE int owned(int head) const {
    int const granule = 1 << job.store.log_granule;
    return head + ((job.store.elements * kSize - head + granule - 1) & -granule);
  }
  CUTE_HOST_DEVICE vector_span vectors_of(row const& each) const {
    if constexpr (kNarrow)
      return each.vectors;
    else
      return find_vectors(each);
  }
  CUTE_HOST_DEVICE vector_span find_vectors(row const& each) const {
    int const head = Ragged ? head_of(each) : 0, bytes = elements(each) * kSize,
              before = int((low_address(each) + unsigned(head)) & unsigned(job.store.align_mask));
    int whole = bytes < head ? 0 : (bytes - head) / kVector;
    if (Ragged) whole = min(whole, (owned(head) - head) / kVector);
    return {head, before / kVector, whole};
  }

  /// Stores the bytes within [begin, end) of the word at byte `at` of a row.
  template <class Block, class Take>
  CUTE_HOST_DEVICE void store_word(Block& block, row const& each, int at, int begin, int end, Take const& take) const {
    if (at + kWord * kSize <= begin || at >= end) return;
    int const first = at / kSize, from = begin / kSize, last = end / kSize - 1;
    int i = first;
    char const* const row_from = block.opaque_address(shared + each.smem_offset + (first > 0 ? skip_periods(i) : 0));
    char const* found[kWord];
    table::load(block, offsets, job.table.copy_bytes, i, row_from, 0, found);
    alignas(kWord * kSize) T word[kWord];
    T* const to = reinterpret_cast<T*>(destination + each.offset) + first;
    if constexpr (kWord > 1)
      if (at < begin || at + kWord * kSize > end) {
        [[maybe_unused]] auto const mark = block.iteration(0);
        CUTE_UNROLL
        for (int j = 0; j < kWord; ++j) {
          bool const active = first + j >= from && first + j <= last;
          take(found[j], &word[j], active);
          block.template global_store<1>(to + j, &word[j], active);
        }
        return;
      }
    CUTE_UNROLL
    for (int j = 0; j < kWord; ++j) take(found[j], &word[j], true);
    block.template global_store<kWord>(to, word, true);
  }

  /// Finds the source rows. With `bulk` it starts to copy each to shared memory; otherwise it stores them in the table, for
  /// `load`.
  template <class Block, class Barrier>
  CUTE_HOST_DEVICE void tabulate_source(Block& block, bool bulk, Barrier& arrived) const {
    auto const first_unit = source - std::uintptr_t(shift);
    for (int i = block.thread(); i < job.load.rows; i += kThreads) {
      int batch, in_batch;
      job.load.rows_per_batch(batch, in_batch, i);
      decoded const of_batch(job, job.batch_digits, batch), of_row(job, job.source_row_digits, in_batch);
      int n = min(run_left - int(of_batch.run_index + of_row.run_index), job.load.cut.row_indices);
      if (of_batch.vector_index + of_row.vector_index >= vectors_left) n = 0;
      int const step = job.load.cut_step, low = job.load.uncut_low + (step < 0 ? (n - 1) * step : 0),
                bytes = (n - 1) * (step < 0 ? -step : step) + job.load.uncut_span,
                to = job.table.row_origin + job.table.element_origin + of_batch.smem_offset + within_unit(of_batch.source) +
                     of_row.smem_offset + gaps_before(in_batch) + within_unit(shift + within_unit(of_row.source)) + low;
      Offset const begin = shift + of_batch.source + of_row.source + low;
      row const each{begin - within_unit(begin), to - within_unit(to),
                     n <= 0 ? 0 : (within_unit(begin) + bytes + kUnitBytes - 1) / kUnitBytes};
      if constexpr (Block::kHasTma)
        if (bulk) {
          if (units(each) > 0)
            block.bulk_copy(reinterpret_cast<char const*>(first_unit + std::uintptr_t(each.offset)), shared + each.smem_offset,
                            units(each) * kUnitBytes, arrived);
          continue;
        }
      block.template shared_store<1>(&source_rows[i], &each);
    }
  }

  /// Fills the table of destination rows and the offset table.
  template <class Block>
  CUTE_HOST_DEVICE void tabulate_destination(Block& block) const {
    for (int i = kThreads - 1 - block.thread(); i < job.store.rows.divisor; i += kThreads) {
      int batch, in_batch;
      job.store.rows_per_batch(batch, in_batch, i);
      decoded const of_batch(job, job.batch_digits, batch), of_row(job, job.destination_row_digits, in_batch);
      int n = min(vectors_left - int(of_batch.vector_index), job.store.cut.row_indices + job.store.halo);
      if (n < 0 || of_batch.run_index + of_row.run_index >= run_left) n = 0;
      bool const begins = begins_here && of_batch.vector_index == 0;
      row each{of_batch.destination + of_row.destination,
               job.table.row_origin + of_batch.smem_offset + within_unit(of_batch.source) + of_row.smem_offset,
               n * job.store.elements_per_index * 2 + begins};
      if constexpr (kNarrow) each.vectors = find_vectors(each);
      block.template shared_store<1>(&destination_rows[i], &each);
    }
    int const last =
        (job.store.cut.row_indices + job.store.halo) * job.store.elements_per_index - 1;  // entries past it have its offset
    for (int i = (block.thread() + kThreads / 2) % kThreads; i < job.table.entries; i += kThreads) {
      int const element = i - table::kForm.before();
      decoded const at(job, job.element_digits, element < 0 ? 0 : min(element, last));
      table::store(block, offsets, job.table.copy_bytes, i,
                   job.table.element_origin + at.smem_offset + gaps_before(int(at.destination)) +
                       within_unit(shift + within_unit(at.source)));
    }
  }

  /// Copies the source rows in the table, unit by unit. Units that are partly outside the source are copied by element.
  template <class Block>
  CUTE_HOST_DEVICE void load(Block& block) const {
    auto const first_unit = source - std::uintptr_t(shift);
    auto const for_units = [&](auto const& visit) {
      for (strided_pair unit(job.load.units, block.thread(), kThreads); unit.slow < job.load.rows; unit.next()) {
        [[maybe_unused]] auto const mark = block.iteration(unit.iteration);
        row each;
        block.template shared_load<1>(&source_rows[unit.slow], &each);
        int const bytes = unit.fast * kUnitBytes;
        if (unit.fast < units(each)) visit(first_unit + std::uintptr_t(each.offset + bytes), shared + each.smem_offset + bytes);
      }
    };
    auto const copy = [&](std::uintptr_t from, char* to) { block.cp_async(reinterpret_cast<char const*>(from), to); };
    if (inside)
      for_units(copy);
    else
      for_units([&](std::uintptr_t from, char* to) {
        if (from >= args.source_begin && from + kUnitBytes <= args.source_end)
          copy(from, to);
        else
          fetch_elements<T>(block, from, to, args.source_begin, args.source_end);
      });
  }
};

}  // namespace cornerturn::tile
