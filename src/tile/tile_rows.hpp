#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "tile/digit_sum.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/gather_job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

using namespace cute;

/// What a program that takes any permutation is handed: a job and the memory it works on.
template <class T>
struct gathering {
  T const* source;
  T* destination;
  std::uintptr_t low, high;  ///< the addresses that may be read: whole units within them are
  gather_job shape;

  static gathering over(T const* source, T* destination, gather_job const& job) {
    auto const address = reinterpret_cast<std::uintptr_t>(source);
    return {source, destination, address + std::uintptr_t(job.source_low), address + std::uintptr_t(job.source_high), job};
  }
};

/// Counts pairs (slow, fast) in steps of a block's threads, with no division but the first.
struct stepping {
  int slow, fast, slow_step, fast_step, fast_end;

  CUTE_HOST_DEVICE stepping(cutlass::FastDivmod const& radix, int first, int step) : fast_end(radix.divisor) {
    radix(slow, fast, first);
    radix(slow_step, fast_step, step);
  }
  CUTE_HOST_DEVICE void next() {
    slow += slow_step;
    fast += fast_step;
    if (fast >= fast_end) {
      fast -= fast_end;
      ++slow;
    }
  }
};

/// The rows of a block's tile on both sides, and where they are in shared memory. `Offset` counts bytes within a tile. Columns
/// lie `Spread` bytes further on after every few of them, so that threads that far apart meet different banks; a table of places
/// has a gap after every `Places` entries, for the same reason.
template <class T, class Offset, int Spread, int Places>
struct tile_rows {
  static constexpr int kSize = int(sizeof(T)), kUnit = 16, kThreads = 256;

  /// Bytes from the tile's first unit or element, the place in shared memory, and how many units or elements there are. A
  /// destination row says too whether it begins where its mode begins.
  struct alignas(16) row {
    Offset offset;
    int at, count;
  };
  CUTE_HOST_DEVICE static int elements(row const& each) { return each.count >> 1; }
  CUTE_HOST_DEVICE static bool begins(row const& each) { return each.count & 1; }

  gathering<T> const& args;
  gather_job const& job;
  std::uintptr_t source;  ///< addresses of the tile's first element
  char* destination;
  char* shared;
  row *source_rows, *destination_rows;
  int* places;
  int shift, run_left, vectors_left;
  bool begins_here;  ///< the vectors' cut mode does
  bool edge;         ///< whether a destination row may begin or end here, and not within a vector of another tile

  /// Brings the block's tile into shared memory.
  template <class Block>
  CUTE_HOST_DEVICE tile_rows(Block& block, gathering<T> const& given) : args(given), job(given.shape) {
    digit_sum<std::int64_t> const tile(job, job.outer, int(block.index()));
    source = reinterpret_cast<std::uintptr_t>(args.source) + std::uintptr_t(tile.source);
    destination = reinterpret_cast<char*>(args.destination) + tile.destination;
    shift = within_unit(source);
    run_left = clamped(job.run_extent - tile.of_run);
    vectors_left = clamped(job.vector_extent - tile.of_vectors);
    begins_here = tile.of_vectors == 0;
    edge = job.ragged && (job.halo == 0 || begins_here || vectors_left <= job.vector_reach);
    shared = block.template shared<char, 1>();
    source_rows = reinterpret_cast<row*>(shared + job.rows_at);
    destination_rows = source_rows + job.source_rows;
    places = reinterpret_cast<int*>(shared + job.places_at);
    tabulate(block);
    block.sync();
    fetch(block);
    block.fetched();
    block.sync();
  }

  CUTE_HOST_DEVICE static int place_of(int i) { return Places ? i + i / (Places ? Places : 1) * 4 : i; }
  /// Elements of a destination row before its first whole grain.
  CUTE_HOST_DEVICE int head_of(char const* row) const {
    return int(-reinterpret_cast<std::uintptr_t>(row) & std::uintptr_t(job.grain - 1)) / kSize;
  }
  /// Whether the grain that has element `i` begins among the tile's own elements.
  CUTE_HOST_DEVICE bool owns(int i, int head) const { return ((i - head) & -(job.grain / kSize)) + head < job.vector_elements; }

  /// Calls store(index, row, begin, first) for every whole vector of V elements of the destination rows.
  template <int V, class Block, class Store>
  CUTE_HOST_DEVICE void for_vectors(Block& block, Store const& store) const {
    int stand, lane;
    job.lanes(stand, lane, block.thread());
    if (stand >= job.stands) return;
    for (stepping at(job.rows, stand, job.stands); at.slow < job.stores; at.next()) {
      row each;
      block.template shared_load<1>(&destination_rows[at.fast], &each);
      char* const begin = destination + each.offset;
      int const head = job.ragged ? head_of(begin) : 0,
                before = job.lined_up ? int(reinterpret_cast<std::uintptr_t>(begin + head * kSize) / (V * kSize)) & 7 : 0,
                first = head + (at.slow * job.lanes.divisor + lane - before) * V;
      if (first >= head && owns(first, head) && first + V <= elements(each)) store(at.fast, each, begin, first);
    }
  }

  /// Moves the elements of destination rows that are in no whole vector of V, one a thread: take(row, element) gives them.
  template <int V, class Block, class Take>
  CUTE_HOST_DEVICE void move_ends(Block& block, Take const& take) const {
    if (!edge) return;
    int const grain = job.grain / kSize, slots = job.ends.divisor;
    for (int turn = block.thread(); turn < job.destination_rows * slots; turn += kThreads) {
      int index, slot;
      job.ends(index, slot, turn);
      row each;
      block.template shared_load<1>(&destination_rows[index], &each);
      char* const begin = destination + each.offset;
      int const count = elements(each), head = least(head_of(begin), count), tail = head + (count - head) / V * V,
                i = slot < grain ? slot : tail + slot - grain;
      bool const mine = slot < grain ? i < head && (job.halo == 0 || begins(each)) : i < count && owns(tail, head);
      if (!mine) continue;
      T const element = take(index, each, i);
      block.template global_store<1>(reinterpret_cast<T*>(begin) + i, &element, true);
    }
  }

 private:
  static constexpr int kMany = 1 << 30;
  CUTE_HOST_DEVICE static int clamped(std::int64_t count) { return count < kMany ? int(count) : kMany; }
  template <class Count>
  CUTE_HOST_DEVICE static int within_unit(Count bytes) {
    return int(bytes) & (kUnit - 1);
  }
  CUTE_HOST_DEVICE int spread(int column) const { return (column >> job.log_together) * Spread; }

  template <class Block>
  CUTE_HOST_DEVICE void tabulate(Block& block) const {
    using sum = digit_sum<Offset>;
    for (int i = block.thread(); i < job.source_rows; i += kThreads) {
      int batch, column;
      job.columns_per_batch(batch, column, i);
      sum const of_batch(job, job.batch, batch), of_column(job, job.columns, column);
      int n = least(run_left - int(of_batch.of_run + of_column.of_run), job.run_part);
      if (of_batch.of_vectors + of_column.of_vectors >= vectors_left) n = 0;
      int const low = job.run_low + (job.run_step < 0 ? (n - 1) * job.run_step : 0),
                bytes = (n - 1) * (job.run_step < 0 ? -job.run_step : job.run_step) + job.run_rest,
                at = job.origin + of_batch.at + within_unit(of_batch.source) + of_column.at + spread(column) +
                     within_unit(shift + within_unit(of_column.source)) + low;
      Offset const begin = shift + of_batch.source + of_column.source + low;
      row const each{begin - within_unit(begin), at - within_unit(at),
                     n <= 0 ? 0 : (within_unit(begin) + bytes + kUnit - 1) / kUnit};
      block.template shared_store<1>(&source_rows[i], &each);
    }
    for (int i = kThreads - 1 - block.thread(); i < job.destination_rows; i += kThreads) {
      int batch, line;
      job.lines_per_batch(batch, line, i);
      sum const of_batch(job, job.batch, batch), of_line(job, job.lines, line);
      int n = least(vectors_left - int(of_batch.of_vectors), job.vector_part + job.halo);
      if (n < 0 || of_batch.of_run + of_line.of_run >= run_left) n = 0;
      bool const begins = begins_here && of_batch.of_vectors == 0;
      row const each{of_batch.destination + of_line.destination, of_batch.at + within_unit(of_batch.source) + of_line.at,
                     n * job.vector_rest * 2 + begins};
      block.template shared_store<1>(&destination_rows[i], &each);
    }
    int const last = (job.vector_part + job.halo) * job.vector_rest - 1;  // whose place those past it have
    for (int i = (block.thread() + kThreads / 2) % kThreads; i < job.places; i += kThreads) {
      sum const of_vector(job, job.vectors, least(i, last));
      int const at =
          job.origin + of_vector.at + spread(int(of_vector.destination)) + within_unit(shift + within_unit(of_vector.source));
      block.template shared_store<1>(&places[place_of(i)], &at);
    }
  }

  /// Whole units; where memory begins or ends within one, its elements.
  template <class Block>
  CUTE_HOST_DEVICE void fetch(Block& block) const {
    auto const first_unit = source - std::uintptr_t(shift);
    bool const whole = source + std::uintptr_t(job.tile_low) >= args.low && source + std::uintptr_t(job.tile_high) <= args.high;
    for (stepping unit(job.loads, block.thread(), kThreads); unit.slow < job.source_rows; unit.next()) {
      row each;
      block.template shared_load<1>(&source_rows[unit.slow], &each);
      if (unit.fast >= each.count) continue;
      int const off = unit.fast * kUnit;
      auto const from = first_unit + std::uintptr_t(each.offset + off);
      char* const to = shared + each.at + off;
      if (whole || (from >= args.low && from + kUnit <= args.high))
        block.fetch_unit(reinterpret_cast<char const*>(from), to);
      else
        fetch_elements<T>(block, from, to, args.low, args.high);
    }
  }
};

}  // namespace cornerturn::tile
