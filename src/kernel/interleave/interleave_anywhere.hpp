#pragma once

#include <cstdint>
#include <cstring>
#include <numeric>

#include "kernel/interleave/job.hpp"
#include "kernel/interleave/structures.hpp"
#include "tile/decoded_index.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/kernel_args.hpp"
#include "tile/maps.hpp"
#include "tile/words.hpp"

namespace cornerturn::tile {

/// `interleave` for small elements and rows of any length that begin anywhere. A tile's groups begin where the side in one piece
/// has a whole unit; units of the rows are cut from five words, as they come from shared memory or as they go out of it. All
/// memory is accessed in aligned 16-byte units but for the ends of what is written.
template <class T, int Few, bool Together>
struct interleave_anywhere : structures<T, Few> {
  using base = structures<T, Few>;
  using base::V, base::kUnit, base::place_of;
  static constexpr bool kOverlaps = true;
  static constexpr int kSize = int(sizeof(T)), kWord = 4, kWords = kUnit / kWord, kThreads = 256, kBlocks = 4;
  /// Groups of a tile: units of the rows, which begin elsewhere, lie in one more.
  static constexpr int kGroups = kThreads - 1;
  static constexpr int kRowPitch = kThreads * kUnit, kSharedBytes = Few * kRowPitch;

  /// What the phases have in common: addresses of the tile's first element on either side, and which of its elements there are.
  struct tile_place {
    std::uintptr_t piece, rows;
    std::int64_t apart;
    int first, end;
    CUTE_HOST_DEVICE std::uintptr_t row(int k) const { return rows + std::uintptr_t(k * apart); }
  };

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, interleave_job> const& args) {
    interleave_job const& job = args.job;
    decoded_index<std::int64_t> const tile(job, job.counted, int(block.index()));
    auto const source = std::uintptr_t(args.source) + std::uintptr_t(tile.source),
               destination = std::uintptr_t(args.destination) + std::uintptr_t(tile.destination),
               piece = Together ? destination : source, rows = Together ? source : destination;
    auto const number = tile.run_index * (kGroups * V) - lead_of(piece), left = job.many - number;
    tile_place const at{piece + std::uintptr_t(number * Few * kSize), rows + std::uintptr_t(number * kSize), job.apart,
                        number < 0 ? int(-number) : 0, left < kMany ? int(left) : kMany};
    char* const shared = block.template shared<char, kSharedBytes>();
    if constexpr (Together)
      join(block, args, at, shared);
    else
      split(block, args, at, shared, tile.run_index == 0);
  }

 private:
  static constexpr int kMany = 1 << 20;

  /// How many elements before a row's first one groups begin, so that they begin with a unit of the piece.
  CUTE_HOST_DEVICE static int lead_of(std::uintptr_t piece) {
    constexpr int kCommon = std::gcd(Few, V), kPeriod = V / kCommon;
    constexpr int kInverse = [] {
      for (int i = 1; i < kPeriod; ++i)
        if (i * (Few / kCommon) % kPeriod == 1) return i;
      return 0;
    }();
    return int(unsigned(piece / unsigned(kSize * kCommon)) * unsigned(kInverse) & unsigned(kPeriod - 1));
  }

  /// Elements between an address and the next whole unit.
  CUTE_HOST_DEVICE static int head_of(std::uintptr_t address) { return int(-address & (kUnit - 1)) / kSize; }

  /// A unit of the source, where it has any of the bytes from `begin` to `end`.
  template <class Block>
  CUTE_HOST_DEVICE static void fetch(Block& block, kernel_args<T, interleave_job> const& args, std::uintptr_t from, char* to,
                                     std::uintptr_t begin, std::uintptr_t end) {
    if (from + kUnit <= begin || from >= end) return;
    if (from >= args.source_begin && from + kUnit <= args.source_end)
      block.cp_async(reinterpret_cast<char const*>(from), to);
    else
      fetch_elements<T>(block, from, to, args.source_begin, args.source_end);
  }

  /// 16 bytes that begin anywhere in shared memory. Every eight lanes begin with another word, to meet other banks.
  template <class Block>
  CUTE_HOST_DEVICE static void cut(Block& block, char const* from, int within, T (&unit)[V]) {
    int const off = within % kWord;
    auto const* const words = reinterpret_cast<std::uint32_t const*>(from + (within - off));
    std::uint32_t held[kWords + 1];
    int const swapped = block.thread() / 8 & 3;
    CUTE_UNROLL
    for (int i = 0; i < kWords; ++i) block.template shared_load<1>(words + (i ^ swapped), &held[i]);
    block.template shared_load<1>(words + kWords, &held[kWords]);
    xor_words(held, swapped);
    CUTE_UNROLL
    for (int i = 0; i < kWords; ++i) held[i] = funnel_shift(held[i], held[i + 1], off);
    std::memcpy(unit, held, kUnit);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void join(Block& block, kernel_args<T, interleave_job> const& args, tile_place const& at,
                                    char* shared) {
    int const thread = block.thread();
    CUTE_UNROLL
    for (int k = 0; k < Few; ++k) {
      [[maybe_unused]] auto const mark = block.iteration(k);
      auto const row = at.row(k), begin = row + std::uintptr_t(at.first * kSize), end = row + std::uintptr_t(at.end * kSize);
      if (at.end > 0)
        fetch(block, args, row / kUnit * kUnit + std::uintptr_t(thread * kUnit), shared + k * kRowPitch + thread * kUnit, begin,
              end);
    }
    block.cp_async_wait_all();
    block.sync();
    int const group = min(thread, kGroups - 1);
    alignas(16) T rows[Few][V];
    CUTE_UNROLL
    for (int k = 0; k < Few; ++k) cut(block, shared + k * kRowPitch + group * kUnit, int(at.row(k) & (kUnit - 1)), rows[k]);
    block.sync();
    if (thread < kGroups) {
      CUTE_UNROLL
      for (int j = 0; j < Few; ++j) {
        alignas(16) T unit[V];
        base::join(rows, j, unit);
        block.template shared_store<V>(reinterpret_cast<T*>(shared + place_of(thread * Few + j)), unit);
      }
    }
    block.sync();
    T* const to = reinterpret_cast<T*>(at.piece);
    CUTE_UNROLL
    for (int j = 0; j < Few; ++j) {
      [[maybe_unused]] auto const mark = block.iteration(j);
      int const unit = j * kThreads + thread, first = unit * V;
      if (unit >= kGroups * Few) continue;
      auto const* const from = reinterpret_cast<T const*>(shared + place_of(unit));
      if (first >= at.first * Few && first + V <= at.end * Few) {
        alignas(16) T held[V];
        block.template shared_load<V>(from, held);
        block.template global_store<V>(to + first, held, true);
      } else {
        CUTE_NO_UNROLL
        for (int v = 0; v < V; ++v)
          move(block, from + v, to + first + v, first + v >= at.first * Few && first + v < at.end * Few);
      }
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void split(Block& block, kernel_args<T, interleave_job> const& args, tile_place const& at, char* shared,
                                     bool begins) {
    int const thread = block.thread();
    CUTE_UNROLL
    for (int j = 0; j < Few; ++j) {
      [[maybe_unused]] auto const mark = block.iteration(j);
      int const unit = j * kThreads + thread;
      if (at.end > 0)
        fetch(block, args, at.piece + std::uintptr_t(unit * kUnit), shared + place_of(unit),
              at.piece + std::uintptr_t(at.first * Few * kSize), at.piece + std::uintptr_t(at.end * Few * kSize));
    }
    block.cp_async_wait_all();
    block.sync();
    alignas(16) T group[Few * V];
    CUTE_UNROLL
    for (int j = 0; j < Few; ++j)
      block.template shared_load<V>(reinterpret_cast<T const*>(shared + place_of(thread * Few + j)), group + j * V);
    block.sync();
    CUTE_UNROLL
    for (int k = 0; k < Few; ++k) {
      alignas(16) T row[V];
      base::split(group, k, row);
      block.template shared_store<V>(reinterpret_cast<T*>(shared + k * kRowPitch + thread * kUnit), row);
    }
    block.sync();
    if (thread < kGroups) {
      CUTE_UNROLL
      for (int k = 0; k < Few; ++k) {
        [[maybe_unused]] auto const mark = block.iteration(k);
        int const head = head_of(at.row(k)), first = head + thread * V;
        if (first < at.first || first + V > at.end) continue;
        alignas(16) T unit[V];
        cut(block, shared + k * kRowPitch + thread * kUnit, head * kSize, unit);
        block.template global_store<V>(reinterpret_cast<T*>(at.row(k)) + first, unit, true);
      }
    }
    if (begins || at.end < kThreads * V) write_ends(block, at, shared, begins);
  }

  /// Elements that are in no whole unit of a row.
  template <class Block>
  CUTE_HOST_DEVICE static void write_ends(Block& block, tile_place const& at, char* shared, bool begins) {
    int const k = block.thread() / V, i = block.thread() % V;
    if (k >= Few) return;
    auto const* const from = reinterpret_cast<T const*>(shared + k * kRowPitch);
    T* const to = reinterpret_cast<T*>(at.row(k));
    int const head = at.first + head_of(at.row(k) + std::uintptr_t(at.first * kSize));
    move(block, from + at.first + i, to + at.first + i, begins && at.first + i < min(head, at.end));
    int const begin = head_of(at.row(k)), tail = begin + (at.end - begin) / V * V;
    move(block, from + tail + i, to + tail + i,
         at.end >= begin && tail >= at.first && tail < begin + kGroups * V && tail + i < at.end);
  }

  template <class Block>
  CUTE_HOST_DEVICE static void move(Block& block, T const* from, T* to, bool mine) {
    T element;
    block.template shared_load<1>(from, &element, mine);
    block.template global_store<1>(to, &element, mine);
  }
};

}  // namespace cornerturn::tile
