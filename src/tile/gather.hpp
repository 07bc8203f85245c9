#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "tile/gather_job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

using namespace cute;

/// What the gather program is handed: a job and the memory it works on.
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

/// Any permutation. A block loads the rows of its tile as they lie in the source, in aligned 16-byte units, into shared memory
/// that keeps their place within a unit; then threads gather whole aligned vectors of the destination from there, element by
/// element, along a table of places. So neither side minds how its rows are aligned.
///
/// `Offset` counts bytes within a tile. M_V elements are stored together; with `Ragged`, rows may begin and end within these:
/// their ends are moved last, one element a thread. Every M_V columns lie a unit further on, so that threads a vector apart meet
/// different banks.
template <class T, class Offset, int M_V, bool Ragged>
struct gather {
  static constexpr int kSize = int(sizeof(T)), kUnit = 16, kThreads = 256, kBlocks = 4, kMany = 1 << 30;

  /// A row of the tile on either side: bytes from the tile's first unit or element, its place in shared memory, and how many
  /// units or elements it has.
  struct alignas(16) row {
    Offset offset;
    int at, count;
  };

  /// What the digits of a number add up to.
  template <class Count>
  struct sum {
    Count source = 0, destination = 0, of_run = 0, of_vectors = 0;
    int at = 0;

    CUTE_HOST_DEVICE void add(gather_job const& job, digit_range const& digits, int number) {
      for (int i = digits.begin; i < digits.end; ++i) {
        digit const& each = job.digits[std::size_t(i)];
        int value = number;
        if (i + 1 < digits.end) each.radix(number, value, value);
        source += value * Count(each.source);
        destination += value * Count(each.destination);
        of_run += value * Count(each.of_run);
        of_vectors += value * Count(each.of_vectors);
        at += value * each.at;
      }
    }
  };

  template <class Count>
  CUTE_HOST_DEVICE static int within_unit(Count bytes) {
    return int(bytes) & (kUnit - 1);
  }
  CUTE_HOST_DEVICE static int clamped(std::int64_t count) { return count < kMany ? int(count) : kMany; }
  /// Columns lie a unit further on after every vector of them.
  CUTE_HOST_DEVICE static int spread(int column) { return column / M_V * kUnit; }
  /// Elements of a destination row before its first whole vector.
  CUTE_HOST_DEVICE static int head_of(char const* row) {
    return Ragged ? within_unit(-reinterpret_cast<std::uintptr_t>(row)) / kSize : 0;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, gathering<T> const& args) {
    gather_job const& job = args.shape;
    sum<std::int64_t> tile;
    tile.add(job, job.outer, int(block.index()));
    std::uintptr_t const source = reinterpret_cast<std::uintptr_t>(args.source) + tile.source;
    char* const destination = reinterpret_cast<char*>(args.destination) + tile.destination;
    int const run_left = clamped(job.run_extent - tile.of_run), vectors_left = clamped(job.vector_extent - tile.of_vectors),
              shift = within_unit(source);

    char* const shared = block.template shared<char, 1>();
    auto* const source_rows = reinterpret_cast<row*>(shared + job.rows_at);
    auto* const destination_rows = source_rows + job.source_rows;
    auto* const vectors = reinterpret_cast<int*>(shared + job.vectors_at);

    // Tables: where rows lie, and where the elements of a destination row are in shared memory.
    for (int i = block.thread(); i < job.source_rows; i += kThreads) {
      int batch, column;
      job.columns_per_batch(batch, column, i);
      sum<Offset> of_batch, of_column;
      of_batch.add(job, job.batch, batch);
      of_column.add(job, job.columns, column);
      int n = least(int(run_left - of_batch.of_run - of_column.of_run), job.run_part);
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
    for (int i = block.thread(); i < job.destination_rows; i += kThreads) {
      int batch, line;
      job.lines_per_batch(batch, line, i);
      sum<Offset> of_batch, of_line;
      of_batch.add(job, job.batch, batch);
      of_line.add(job, job.lines, line);
      int n = least(int(vectors_left - of_batch.of_vectors), job.vector_part);
      if (n < 0 || of_batch.of_run + of_line.of_run >= run_left) n = 0;
      row const each{of_batch.destination + of_line.destination, of_batch.at + within_unit(of_batch.source) + of_line.at,
                     n * job.vector_rest};
      block.template shared_store<1>(&destination_rows[i], &each);
    }
    for (int i = block.thread(); i < job.vector_elements; i += kThreads) {
      sum<Offset> of_vector;
      of_vector.add(job, job.vectors, i);
      int const at =
          job.origin + of_vector.at + spread(int(of_vector.destination)) + within_unit(shift + within_unit(of_vector.source));
      block.template shared_store<1>(&vectors[i], &at);
    }
    block.sync();

    // Whole units; where memory begins or ends within one, its elements.
    auto const first_unit = source - shift;
    bool const whole = source + job.tile_low >= args.low && source + job.tile_high <= args.high;
    int const units = job.source_rows * job.loads.divisor;
    for (int unit = block.thread(); unit < units; unit += kThreads) {
      int index, k;
      job.loads(index, k, unit);
      row each;
      block.template shared_load<1>(&source_rows[index], &each);
      if (k >= each.count) continue;
      auto const from = first_unit + each.offset + k * kUnit;
      char* const to = shared + each.at + k * kUnit;
      if (whole || (from >= args.low && from + kUnit <= args.high)) {
        block.fetch_unit(reinterpret_cast<char const*>(from), to);
      } else {
        for (int i = 0; i < kUnit; i += kSize) {
          if (from + i < args.low || from + i >= args.high) continue;
          T element;
          block.template global_load<1>(reinterpret_cast<T const*>(from + i), &element, true);
          block.template shared_store<1>(reinterpret_cast<T*>(to + i), &element);
        }
      }
    }
    block.fetched();
    block.sync();

    int const lanes = job.lanes.divisor, turns = job.stores * lanes * job.destination_rows;
    for (int turn = block.thread(); turn < turns; turn += kThreads) {
      int rest, lane, index, k;
      job.lanes(rest, lane, turn);
      job.rows_together(k, index, rest);
      row each;
      block.template shared_load<1>(&destination_rows[index], &each);
      char* const begin = destination + each.offset;
      int const first = head_of(begin) + (k * lanes + lane) * M_V;
      if (first + M_V > each.count) continue;
      alignas(16) int from[M_V];
      constexpr int kPlaces = Ragged ? 1 : least(M_V, 4);
      CUTE_UNROLL
      for (int j = 0; j < M_V; j += kPlaces) block.template shared_load<kPlaces>(&vectors[first + j], &from[j]);
      alignas(16) T held[M_V];
      CUTE_UNROLL
      for (int j = 0; j < M_V; ++j)
        block.template shared_load<1>(reinterpret_cast<T const*>(shared + from[j] + each.at), &held[j]);
      block.template global_store<M_V>(reinterpret_cast<T*>(begin) + first, held, true);
    }

    if constexpr (Ragged) {
      for (int turn = block.thread(); turn < job.destination_rows * 2 * M_V; turn += kThreads) {
        int const index = turn / (2 * M_V), slot = turn % (2 * M_V);
        row each;
        block.template shared_load<1>(&destination_rows[index], &each);
        char* const begin = destination + each.offset;
        int const head = least(head_of(begin), each.count), tail = head + (each.count - head) / M_V * M_V,
                  i = slot < M_V ? slot : tail + slot - M_V;
        if (i >= (slot < M_V ? head : each.count)) continue;
        int from;
        block.template shared_load<1>(&vectors[i], &from);
        T element;
        block.template shared_load<1>(reinterpret_cast<T const*>(shared + from + each.at), &element);
        block.template global_store<1>(reinterpret_cast<T*>(begin) + i, &element, true);
      }
    }
  }
};

}  // namespace cornerturn::tile
