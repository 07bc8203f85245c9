#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <utility>

#include "block/sizes.hpp"
#include "tile/fast_divmod.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/maps.hpp"
#include "tile/words.hpp"

namespace cornerturn::tile {

/// The elements before the first element of each row in its 16-byte unit of global memory, or in its sector. For example, a unit
/// has eight 2-byte elements. If the first row begins at element 3 of a unit and rows are 13 elements apart, rows 0, 1 and 2 have
/// the leads 3, 0 and 5.
template <class T, int Bytes = kUnitBytes>
struct row_leads {
  static constexpr int V = Bytes / int(sizeof(T));
  unsigned first, pitch;
  CUTE_HOST_DEVICE row_leads(T const* begin, std::int64_t row_pitch)
      : first(unsigned(reinterpret_cast<std::uintptr_t>(begin) / sizeof(T) % V)), pitch(unsigned(row_pitch) % V) {}
  CUTE_HOST_DEVICE int operator()(int row) const { return int((first + unsigned(row) * pitch) % V); }
};

/// Starts the copies of unaligned rows to shared memory, where each element is at the same place within a unit as in global
/// memory. Only whole units of a row are copied. `place(row)` is the target of a row's first element.
template <int Threads, class T, class Block, class Place>
CUTE_HOST_DEVICE void copy_whole_units(Block& block, T const* source, std::int64_t pitch, int rows, int width,
                                       fast_divmod const& units, T* shared, Place const& place) {
  constexpr int V = kUnitBytes / int(sizeof(T));
  row_leads<T> const lead(source, pitch);
  CORNERTURN_NO_UNROLL
  for (int first = 0; first < rows * units.divisor; first += Threads) {
    [[maybe_unused]] auto const mark = block.iteration(first / Threads);
    int row, unit;
    units(row, unit, first + block.thread());
    int const begin = unit * V - lead(row);
    if (row < rows && begin >= 0 && begin + V <= width)
      block.cp_async(reinterpret_cast<char const*>(source + row * pitch + begin),
                     reinterpret_cast<char*>(shared + place(row) + begin));
  }
}

/// Copies N elements to shared memory.
template <int N, class T, class Block>
CUTE_HOST_DEVICE void copy_piece(Block& block, T const* from, T* to) {
  alignas(N * sizeof(T)) T held[N];
  block.template global_load<N>(from, held, true);
  block.template shared_store<N>(to, held, true);
}

/// Copies the elements of the same rows outside whole units: at each end of a row up to one piece of 1, 2, 4 and 8 elements, if a
/// unit has more elements. Larger pieces are farther inside, so each piece is aligned.
template <int Threads, class T, class Block, class Place>
CUTE_HOST_DEVICE void copy_ends(Block& block, T const* source, std::int64_t pitch, int rows, int width, T* shared,
                                Place const& place) {
  constexpr int V = kUnitBytes / int(sizeof(T)), kSizes = std::countr_zero(unsigned(V));
  row_leads<T> const leads(source, pitch);
  CORNERTURN_NO_UNROLL
  for (int first = 0; first < rows * 2 * kSizes; first += Threads) {
    [[maybe_unused]] auto const mark = block.iteration(first / Threads);
    int const number = first + block.thread(), row = number / (2 * kSizes), piece = number % (2 * kSizes);
    if (row >= rows) continue;
    T const* const from = source + row * pitch;
    T* const to = shared + place(row);
    int const lead = leads(row), bit = piece % kSizes;
    if (lead > 0 && lead + width < V) {  // the row has neither the beginning nor the end of a unit
      CORNERTURN_NO_UNROLL
      for (int at = piece; at < width; at += 2 * kSizes) copy_piece<1>(block, from + at, to + at);
      continue;
    }
    bool const is_first = piece < kSizes;
    int const count = is_first ? (V - lead) & (V - 1) : (lead + width) & (V - 1);
    if (!(count & 1 << bit)) continue;
    int const at = is_first ? count & ((1 << bit) - 1) : width - (count & ((2 << bit) - 1));
    [&]<int... Bits>(std::integer_sequence<int, Bits...>) {
      ((bit == Bits ? copy_piece<1 << Bits>(block, from + at, to + at) : void()), ...);
    }
    (std::make_integer_sequence<int, kSizes>());
  }
}

/// Starts the copies of rows as `copy_whole_units` does, but also copies the units at a row's ends, whole. So no two rows may
/// share a unit in shared memory. Units that are partly outside of [begin, end) are copied by elements.
template <int Threads, class T, class Block, class Place>
CUTE_HOST_DEVICE void copy_touched_units(Block& block, T const* source, std::int64_t pitch, int rows, int width,
                                         fast_divmod const& units, T const* begin, T const* end, T* shared, Place const& place) {
  constexpr int V = kUnitBytes / int(sizeof(T));
  row_leads<T> const lead(source, pitch);
  CORNERTURN_NO_UNROLL
  for (int first = 0; first < rows * units.divisor; first += Threads) {
    [[maybe_unused]] auto const mark = block.iteration(first / Threads);
    int row, unit;
    units(row, unit, first + block.thread());
    int const at = unit * V - lead(row);
    if (row >= rows || at >= width) continue;
    T const* const from = source + row * pitch + at;
    auto* const to = reinterpret_cast<char*>(shared + place(row) + at);
    if (from >= begin && from + V <= end)
      block.cp_async(reinterpret_cast<char const*>(from), to);
    else
      fetch_elements<T>(block, reinterpret_cast<std::uintptr_t>(from), to, reinterpret_cast<std::uintptr_t>(begin),
                        reinterpret_cast<std::uintptr_t>(end));
  }
}

/// Loads 16 bytes of shared memory, `offset` bytes from `from`, which is a word's address. Each group of eight lanes starts with
/// a different word, so that lanes that load consecutive units access different banks.
template <class T, class Block>
CUTE_HOST_DEVICE void load_unaligned(Block& block, char const* from, int offset, T (&unit)[kUnitBytes / sizeof(T)]) {
  constexpr int kWord = 4, kWords = kUnitBytes / kWord;
  constexpr bool kIsWhole = sizeof(T) % kWord == 0;
  int const within_word = kIsWhole ? 0 : offset % kWord;
  auto const* const words = reinterpret_cast<std::uint32_t const*>(from + (offset - within_word));
  std::uint32_t held[kWords + 1];
  int const word_xor = block.thread() / 8 & 3;
  CUTE_UNROLL
  for (int i = 0; i < kWords; ++i) block.template shared_load<1>(words + (i ^ word_xor), &held[i]);
  if constexpr (!kIsWhole) block.template shared_load<1>(words + kWords, &held[kWords]);
  xor_words(held, word_xor);
  if constexpr (!kIsWhole) {
    CUTE_UNROLL
    for (int i = 0; i < kWords; ++i) held[i] = funnel_shift(held[i], held[i + 1], within_word);
  }
  std::memcpy(unit, held, kUnitBytes);
}

/// Stores the elements of one unit of global memory. Those with `begin + k` within [0, width) exist. `from(k)` is the address of
/// element k in shared memory.
template <class T, class Block, class From>
CUTE_HOST_DEVICE void store_gathered(Block& block, From const& from, T* to, int begin, int width) {
  constexpr int V = kUnitBytes / int(sizeof(T));
  if (begin >= 0 && begin + V <= width) {
    alignas(16) T held[V];
    CUTE_UNROLL
    for (int k = 0; k < V; ++k) block.template shared_load<1>(from(k), &held[k]);
    block.template global_store<V>(to, held, true);
  } else {
    CUTE_UNROLL
    for (int k = 0; k < V; ++k) {
      bool const active = begin + k >= 0 && begin + k < width;
      T held;
      block.template shared_load<1>(from(k), &held, active);
      block.template global_store<1>(to + k, &held, active);
    }
  }
}

}  // namespace cornerturn::tile
