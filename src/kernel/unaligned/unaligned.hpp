#pragma once

#include <cstdint>

#include "block/sizes.hpp"
#include "kernel/unaligned/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/fetch_elements.hpp"
#include "tile/kernel_args.hpp"
#include "tile/maps.hpp"
#include "tile/words.hpp"

namespace cornerturn::tile {

/// Transposes matrices of small elements whose rows have any alignment. Source rows are copied to shared memory in aligned
/// 16-byte units, and keep their offset within a unit. Squares of words are transposed in registers and stored to the same shared
/// memory as destination rows. These are written in aligned 16-byte units, each assembled from five words. A tile writes a
/// destination row from its first aligned unit on, so it reads up to one unit of elements more than it writes.
template <class T, tile_shape M_Tile>
struct unaligned {
  static constexpr int kSize = int(sizeof(T)), kWord = 4;
  static constexpr int V = kUnitBytes / kSize, W = kWord / kSize;
  static constexpr bool kOverlaps = true;
  static constexpr int kRows = M_Tile.rows, kCols = M_Tile.cols, kThreads = M_Tile.threads, kBlocks = M_Tile.blocks;
  static constexpr int kRead = kRows + V;  ///< source rows that a tile reads

  /// A source row has one unit more than its elements fill. There is a gap after every W source rows, and in the transposed tile
  /// after every V columns. So the threads of a warp, four squares down and eight units across, have different banks. In tiles of
  /// four units across, two threads have the same bank when transposed words are stored.
  static constexpr int kAcross = kCols / V, kRowUnits = kAcross + 1, kSquareBytes = (W * kRowUnits + 1) * kUnitBytes;
  static constexpr int kColPitch = (kRead / W | 1) * kWord, kTransposedBytes = kCols * kColPitch + kAcross * kUnitBytes;
  static constexpr int kSourceBytes = kRead / W * kSquareBytes,
                       kTileBytes = kSourceBytes > kTransposedBytes ? kSourceBytes : kTransposedBytes;
  /// After the tile come two tables: the bytes from the tile's first element to each of its source rows and destination rows.
  static constexpr int kRowTable = (kTileBytes + 7) / 8 * 8, kColTable = kRowTable + kRead * 8,
                       kSharedBytes = kColTable + kCols * 8;
  static_assert(kRead % (4 * W) == 0 && kCols % (4 * V) == 0 && kSharedBytes <= 48 << 10);

  CUTE_HOST_DEVICE static constexpr int source_offset(int row) {
    return row / W * kSquareBytes + row % W * kRowUnits * kUnitBytes;
  }
  CUTE_HOST_DEVICE static constexpr int transposed_offset(int col) { return col * kColPitch + col / V * kUnitBytes; }

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, kernel_args<T, unaligned_job> const& args) {
    // Shift into the block: its tile on both sides.
    unaligned_job const& job = args.job;
    char* const shared = block.template shared<char, kSharedBytes>();
    auto const tile = decode_block_index<false, std::int32_t>(block, job, job.tile_digits, shared);
    auto const source = reinterpret_cast<std::uintptr_t>(args.source) + std::uintptr_t(tile.source);
    char* const destination = reinterpret_cast<char*>(args.destination) + tile.destination;
    auto const place = block_place(job, tile, V);

    // Tables in shared memory: the rows of both sides.
    tabulate(block, job, shared, place);
    block.sync();

    // Load: source rows in aligned units.
    fetch(block, args, source, shared, place);
    block.cp_async_wait_all();
    block.sync();

    // Exchange in shared memory: source rows become destination rows.
    transpose(block, std::uint32_t(source), shared, place);
    block.sync();

    // Store: aligned units of destination rows, then the elements at the ends of rows.
    store(block, job.tile_rows, destination, shared, place);
    if (place.first_row == 0 || place.rows_left < job.tile_rows + V) store_ends(block, job.tile_rows, destination, shared, place);
  }

 private:
  /// The entries of one of the two tables.
  CUTE_HOST_DEVICE static std::int64_t* entries(char* shared, int table) {
    return reinterpret_cast<std::int64_t*>(shared + table);
  }
  template <class Block>
  CUTE_HOST_DEVICE static std::int64_t offset(Block& block, char* shared, int table, int i) {
    std::int64_t bytes;
    block.template shared_load<1>(entries(shared, table) + i, &bytes);
    return bytes;
  }
  /// The low 32 bits of an offset. They are enough to know the offset within a unit.
  template <class Block>
  CUTE_HOST_DEVICE static std::uint32_t low_offset(Block& block, char* shared, int table, int i) {
    std::uint32_t bytes;
    block.template shared_load<1>(reinterpret_cast<std::uint32_t const*>(entries(shared, table) + i), &bytes);
    return bytes;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void tabulate(Block& block, unaligned_job const& job, char* shared, unaligned_place const& place) {
    // The last square may have fewer than W rows. All W rows need an entry, because they are transposed together.
    for (int i = block.thread(); i < (place.rows_read + W - 1) / W * W; i += kThreads) {
      auto const bytes = decoded_index<std::int64_t>(job, job.row_digits, place.first_row + i).source;
      block.template shared_store<1>(entries(shared, kRowTable) + i, &bytes);
    }
    for (int i = kThreads - 1 - block.thread(); i < place.cols; i += kThreads) {
      auto const bytes = decoded_index<std::int64_t>(job, job.col_digits, place.first_col + i).destination;
      block.template shared_store<1>(entries(shared, kColTable) + i, &bytes);
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void fetch(Block& block, kernel_args<T, unaligned_job> const& args, std::uintptr_t source, char* shared,
                                     unaligned_place const& place) {
    constexpr int kStep = kThreads / kRowUnits;
    int const first = block.thread() / kRowUnits, off = block.thread() % kRowUnits * kUnitBytes;
    if (first >= kStep) return;
    CUTE_UNROLL
    for (int t = 0; t < (kRead + kStep - 1) / kStep; ++t) {
      [[maybe_unused]] auto const mark = block.iteration(t);
      int const row = first + t * kStep;
      if (row >= place.rows_read) return;
      auto const begin = source + std::uintptr_t(offset(block, shared, kRowTable, row));
      int const within = int(begin) & (kUnitBytes - 1);
      if (off >= within + place.cols * kSize) continue;
      auto const from = begin - std::uintptr_t(within) + std::uintptr_t(off);
      char* const to = shared + source_offset(row) + off;
      if (from >= args.source_begin && from + kUnitBytes <= args.source_end)
        block.template cp_async<true>(reinterpret_cast<char const*>(from), to);
      else
        fetch_elements<T>(block, from, to, args.source_begin, args.source_end);
    }
  }

  /// Transposes the tile. A thread loads one 16-byte unit of W source rows, and stores one word of V destination rows.
  template <class Block>
  CUTE_HOST_DEVICE static void transpose(Block& block, std::uint32_t source, char* shared, unaligned_place const& place) {
    constexpr int kSquares = kRead / W * kAcross, kIterations = (kSquares + kThreads - 1) / kThreads, kWords = kUnitBytes / kWord;
    auto const down = [](int i) { return i / (4 * kAcross) * 4 + i % 4; };
    auto const across = [](int i) { return i / 4 % kAcross; };
    auto const idle = [&](int i) { return i >= kSquares || down(i) * W >= place.rows_read || across(i) * V >= place.cols; };
    std::uint32_t words[kIterations][kWords][W];
    CUTE_UNROLL
    for (int t = 0; t < kIterations; ++t) {
      [[maybe_unused]] auto const mark = block.iteration(t);
      int const i = block.thread() + t * kThreads;
      if (idle(i)) continue;
      CUTE_UNROLL
      for (int j = 0; j < W; ++j) {
        int const row = down(i) * W + j;
        auto const begin = source + low_offset(block, shared, kRowTable, row);
        int const begin_byte = source_offset(row) + across(i) * kUnitBytes + int(begin & (kUnitBytes - 1)),
                  off = begin_byte % kWord;
        std::uint32_t held[kWords + 1];
        CUTE_UNROLL
        for (int k = 0; k < kWords + 1; ++k)
          block.template shared_load<1>(reinterpret_cast<std::uint32_t const*>(shared + begin_byte - off) + k, &held[k]);
        CUTE_UNROLL
        for (int k = 0; k < kWords; ++k) words[t][k][j] = funnel_shift(held[k], held[k + 1], off);
      }
      CUTE_UNROLL
      for (int k = 0; k < kWords; ++k) transpose_square<T>(words[t][k]);
    }
    block.sync();
    CUTE_UNROLL
    for (int t = 0; t < kIterations; ++t) {
      [[maybe_unused]] auto const mark = block.iteration(t);
      int const i = block.thread() + t * kThreads;
      if (idle(i)) continue;
      char* const to = shared + transposed_offset(across(i) * V) + down(i) * kWord;
      CUTE_UNROLL
      for (int k = 0; k < kWords; ++k) CUTE_UNROLL
      for (int j = 0; j < W; ++j)
        block.template shared_store<1>(reinterpret_cast<std::uint32_t*>(to + (k * W + j) * kColPitch), &words[t][k][j]);
    }
  }

  /// Elements of a destination row before its first aligned unit.
  CUTE_HOST_DEVICE static int head_of(char const* row) {
    return int(-reinterpret_cast<std::uintptr_t>(row) & std::uintptr_t(kUnitBytes - 1)) / kSize;
  }

  template <class Block>
  CUTE_HOST_DEVICE static void store(Block& block, int tile_rows, char* destination, char* shared, unaligned_place const& place) {
    constexpr int kLanes = kRows / V, kStep = kThreads / kLanes;
    int const lane = block.thread() % kLanes;
    if (block.thread() / kLanes >= kStep || lane * V >= tile_rows) return;
    CUTE_UNROLL
    for (int t = 0; t < (kCols + kStep - 1) / kStep; ++t) {
      [[maybe_unused]] auto const mark = block.iteration(t);
      int const col = block.thread() / kLanes + t * kStep;
      if (col >= place.cols) return;
      char* const begin = destination + offset(block, shared, kColTable, col);
      int const first = head_of(begin) + lane * V;
      if (first + V > place.rows_left) continue;
      int const off = first * kSize % kWord;
      auto const* const from = reinterpret_cast<std::uint32_t const*>(shared + transposed_offset(col) + first * kSize - off);
      std::uint32_t held[kUnitBytes / kWord + 1];
      CUTE_UNROLL
      for (int k = 0; k < kUnitBytes / kWord + 1; ++k) block.template shared_load<1>(from + k, &held[k]);
      alignas(16) std::uint32_t unit[kUnitBytes / kWord];
      CUTE_UNROLL
      for (int k = 0; k < kUnitBytes / kWord; ++k) unit[k] = funnel_shift(held[k], held[k + 1], off);
      block.template global_store<kUnitBytes / kWord>(reinterpret_cast<std::uint32_t*>(begin + first * kSize), unit, true);
    }
  }

  /// Stores the elements at the start and end of destination rows, outside the whole units.
  template <class Block>
  CUTE_HOST_DEVICE static void store_ends(Block& block, int tile_rows, char* destination, char* shared,
                                          unaligned_place const& place) {
    CUTE_NO_UNROLL
    for (int i = block.thread(); i < place.cols * 2 * V; i += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(i / kThreads);
      int const col = i / (2 * V), slot = i % (2 * V);
      char* const begin = destination + offset(block, shared, kColTable, col);
      int const head = head_of(begin), whole = (place.rows_left - head) / V * V, at = slot < V ? slot : head + whole + slot - V;
      if (slot < V ? place.first_row != 0 || at >= min(head, place.rows_left) : whole >= tile_rows || at >= place.rows_left)
        continue;
      T element;
      block.template shared_load<1>(reinterpret_cast<T const*>(shared + transposed_offset(col)) + at, &element);
      block.template global_store<1>(reinterpret_cast<T*>(begin) + at, &element, true);
    }
  }
};

// A tile of 256 rows x 128 columns of bytes. A source row has 9 units, and four rows with their gap have 592 bytes. A destination
// row has 276 bytes, and every 16 rows are followed by a gap.
static_assert(unaligned<std::uint8_t, unaligned_tile_of(1, 0)>::source_offset(5) == 592 + 1 * 9 * 16);
static_assert(unaligned<std::uint8_t, unaligned_tile_of(1, 0)>::transposed_offset(17) == 17 * 276 + 16);

}  // namespace cornerturn::tile
