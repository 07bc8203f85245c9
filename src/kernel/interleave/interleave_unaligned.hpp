#pragma once

#include <cstdint>
#include <numeric>

#include "kernel/interleave/aos_group.hpp"
#include "kernel/interleave/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/kernel_args.hpp"
#include "tile/maps.hpp"
#include "tile/unaligned_rows.hpp"

namespace cornerturn::tile {

/// `interleave` for small elements and rows of any length and alignment. A tile's groups begin with an aligned unit of the array
/// of structures. The units of its rows are unaligned, so each is assembled from five words in shared memory. Global memory is
/// accessed in aligned 16-byte units, except at the ends of the written rows.
template <class T, int Fields, bool ToAos>
struct interleave_unaligned : aos_group<T, Fields> {
  using base = aos_group<T, Fields>;
  using base::V, base::smem_offset;
  static constexpr bool kOverlaps = true;
  static constexpr int kSize = int(sizeof(T)), kThreads = kInterleaveThreads, kBlocks = 4;
  static constexpr int kGroups = kInterleaveGroups;  ///< a row's units lie within one aligned unit more
  static constexpr int kRowPitch = kThreads * kUnitBytes, kSharedBytes = Fields * kRowPitch;

  /// The tile of a block.
  struct tile_extent {
    std::uintptr_t aos, first_row;  ///< addresses of the tile's first element on either side
    std::int64_t row_pitch;         ///< bytes
    int first, end;                 ///< the tile's elements of a row that exist
    CUTE_HOST_DEVICE std::uintptr_t row(int k) const { return first_row + std::uintptr_t(k * row_pitch); }
  };

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, interleave_job> const& args) {
    // Shift into the block: its tile, which begins with an aligned unit of the array of structures.
    interleave_job const& job = args.job;
    decoded_index<std::int64_t> const place(job, job.index_digits, int(block.index()));
    auto const source = std::uintptr_t(args.source) + std::uintptr_t(place.source),
               destination = std::uintptr_t(args.destination) + std::uintptr_t(place.destination),
               aos = ToAos ? destination : source, rows = ToAos ? source : destination;
    auto const element = first_element(place, V) - lead_of(aos), left = job.row_elements - element;
    tile_extent const at{aos + std::uintptr_t(element * Fields * kSize), rows + std::uintptr_t(element * kSize), job.row_pitch,
                         element < 0 ? int(-element) : 0, left < kMany ? int(left) : kMany};
    char* const shared = block.template shared<char, kSharedBytes>();
    if constexpr (ToAos)
      interleave_tile(block, args, at, shared);
    else
      deinterleave_tile(block, args, at, shared, place.run_index == 0);
  }

 private:
  static constexpr int kMany = 1 << 20;

  /// The number of elements by which groups begin before a row, so that they begin with a unit of the array of structures.
  CUTE_HOST_DEVICE static int lead_of(std::uintptr_t aos) {
    constexpr int kCommon = std::gcd(Fields, V), kPeriod = V / kCommon;
    constexpr int kInverse = [] {
      for (int i = 1; i < kPeriod; ++i)
        if (i * (Fields / kCommon) % kPeriod == 1) return i;
      return 0;
    }();
    return int(unsigned(aos / unsigned(kSize * kCommon)) * unsigned(kInverse) & unsigned(kPeriod - 1));
  }

  /// Elements from an address to the next aligned unit.
  CUTE_HOST_DEVICE static int head_of(std::uintptr_t address) { return int(-address & (kUnitBytes - 1)) / kSize; }

  /// Copies a unit of the source to shared memory if it has any byte of [begin, end).
  template <class Block>
  CUTE_HOST_DEVICE static void fetch(Block& block, kernel_args<T, interleave_job> const& args, std::uintptr_t from, char* to,
                                     std::uintptr_t begin, std::uintptr_t end) {
    if (from + kUnitBytes <= begin || from >= end) return;
    if (from >= args.source_begin && from + kUnitBytes <= args.source_end)
      block.cp_async(reinterpret_cast<char const*>(from), to);
    else
      fetch_elements<T>(block, from, to, args.source_begin, args.source_end);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void interleave_tile(Block& block, kernel_args<T, interleave_job> const& args, tile_extent const& at,
                                               char* shared) {
    // Load: aligned units of every row.
    int const thread = block.thread();
    CUTE_UNROLL
    for (int k = 0; k < Fields; ++k) {
      [[maybe_unused]] auto const mark = block.iteration(k);
      auto const row = at.row(k), begin = row + std::uintptr_t(at.first * kSize), end = row + std::uintptr_t(at.end * kSize);
      if (at.end > 0)
        fetch(block, args, row / kUnitBytes * kUnitBytes + std::uintptr_t(thread * kUnitBytes),
              shared + k * kRowPitch + thread * kUnitBytes, begin, end);
    }
    block.cp_async_wait_all();
    block.sync();

    // Exchange in shared memory: unaligned units of the rows become units of the array of structures.
    int const group = min(thread, kGroups - 1);
    alignas(16) T rows[Fields][V];
    CUTE_UNROLL
    for (int k = 0; k < Fields; ++k)
      load_unaligned(block, shared + k * kRowPitch + group * kUnitBytes, int(at.row(k) & (kUnitBytes - 1)), rows[k]);
    block.sync();
    if (thread < kGroups) {
      CUTE_UNROLL
      for (int j = 0; j < Fields; ++j) {
        alignas(16) T unit[V];
        base::pack_unit(rows, j, unit);
        block.template shared_store<V>(reinterpret_cast<T*>(shared + smem_offset(thread * Fields + j)), unit);
      }
    }
    block.sync();

    // Store: aligned units of the array of structures.
    T* const to = reinterpret_cast<T*>(at.aos);
    CUTE_UNROLL
    for (int j = 0; j < Fields; ++j) {
      [[maybe_unused]] auto const mark = block.iteration(j);
      int const unit = j * kThreads + thread, first = unit * V;
      if (unit >= kGroups * Fields) continue;
      auto const* const from = reinterpret_cast<T const*>(shared + smem_offset(unit));
      if (first >= at.first * Fields && first + V <= at.end * Fields) {
        alignas(16) T held[V];
        block.template shared_load<V>(from, held);
        block.template global_store<V>(to + first, held, true);
      } else {
        CUTE_NO_UNROLL
        for (int v = 0; v < V; ++v)
          store_element(block, from + v, to + first + v, first + v >= at.first * Fields && first + v < at.end * Fields);
      }
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void deinterleave_tile(Block& block, kernel_args<T, interleave_job> const& args, tile_extent const& at,
                                                 char* shared, bool begins) {
    // Load: aligned units of the array of structures.
    int const thread = block.thread();
    CUTE_UNROLL
    for (int j = 0; j < Fields; ++j) {
      [[maybe_unused]] auto const mark = block.iteration(j);
      int const unit = j * kThreads + thread;
      if (at.end > 0)
        fetch(block, args, at.aos + std::uintptr_t(unit * kUnitBytes), shared + smem_offset(unit),
              at.aos + std::uintptr_t(at.first * Fields * kSize), at.aos + std::uintptr_t(at.end * Fields * kSize));
    }
    block.cp_async_wait_all();
    block.sync();

    // Exchange in shared memory: groups become units of the rows.
    alignas(16) T group[Fields * V];
    CUTE_UNROLL
    for (int j = 0; j < Fields; ++j)
      block.template shared_load<V>(reinterpret_cast<T const*>(shared + smem_offset(thread * Fields + j)), group + j * V);
    block.sync();
    CUTE_UNROLL
    for (int k = 0; k < Fields; ++k) {
      alignas(16) T row[V];
      base::unpack_row(group, k, row);
      block.template shared_store<V>(reinterpret_cast<T*>(shared + k * kRowPitch + thread * kUnitBytes), row);
    }
    block.sync();

    // Store: aligned units of every row, then the elements at the ends of rows.
    if (thread < kGroups) {
      CUTE_UNROLL
      for (int k = 0; k < Fields; ++k) {
        [[maybe_unused]] auto const mark = block.iteration(k);
        int const head = head_of(at.row(k)), first = head + thread * V;
        if (first < at.first || first + V > at.end) continue;
        alignas(16) T unit[V];
        load_unaligned(block, shared + k * kRowPitch + thread * kUnitBytes, head * kSize, unit);
        block.template global_store<V>(reinterpret_cast<T*>(at.row(k)) + first, unit, true);
      }
    }
    if (begins || at.end < kThreads * V) store_ends(block, at, shared, begins);
  }

  /// Stores the elements outside the whole units of a row.
  template <class Block>
  CUTE_HOST_DEVICE static void store_ends(Block& block, tile_extent const& at, char* shared, bool begins) {
    int const k = block.thread() / V, i = block.thread() % V;
    if (k >= Fields) return;
    auto const* const from = reinterpret_cast<T const*>(shared + k * kRowPitch);
    T* const to = reinterpret_cast<T*>(at.row(k));
    int const head = at.first + head_of(at.row(k) + std::uintptr_t(at.first * kSize));
    store_element(block, from + at.first + i, to + at.first + i, begins && at.first + i < min(head, at.end));
    int const begin = head_of(at.row(k)), tail = begin + (at.end - begin) / V * V;
    store_element(block, from + tail + i, to + tail + i,
                  at.end >= begin && tail >= at.first && tail < begin + kGroups * V && tail + i < at.end);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void store_element(Block& block, T const* from, T* to, bool active) {
    T element;
    block.template shared_load<1>(from, &element, active);
    block.template global_store<1>(to, &element, active);
  }
};

}  // namespace cornerturn::tile
