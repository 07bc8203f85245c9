#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"
#include "cornerturn/exchange.cuh"
#include "kernel/packed/job.hpp"
#include "tile/decoded_index.hpp"

namespace cornerturn::tile {

struct packed_args {
  char const* source;
  char* destination;
  packed_job job;
};

/// Transposes matrices of packed elements. A thread loads a column of 32 words, so that a warp reads cache lines, and transposes
/// its squares in registers. Words pass through shared memory, from which runs of each row of the destination are stored.
template <int Bits>
struct packed {
  static constexpr bool kOverlaps = true;
  static constexpr tile_shape kTile = packed_tile_of(Bits);
  static constexpr int kThreads = kTile.threads, kBlocks = kTile.blocks;
  static constexpr int kWord = 4, kColumn = 32;             ///< bytes of a word; words of a thread
  static constexpr int kSide = 32 / Bits, kSquares = Bits;  ///< rows of a square; squares of a thread
  static constexpr int kPerByte = 8 / Bits;                 ///< elements of a byte
  static constexpr int kWords = kTile.rows / kSide;         ///< words of a row of the destination
  static constexpr int kPitch = kWords + 1;                 ///< words of shared memory from one row to the next
  static constexpr int kSharedBytes = kTile.cols * kPitch * kWord;
  static_assert(kTile.cols == kWarp * kSide && kTile.rows / kColumn == kThreads / kWarp);

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, packed_args const& args) {
    // Shift into the block: its tile on both sides.
    packed_job const& job = args.job;
    decoded_index<std::int64_t> const at(job, job.tile_digits, int(block.index()));
    auto const place = place_of(job, Bits, at);

    // Load: a column of words. Those of a warp have the same rows.
    auto* const shared = block.template shared<std::uint32_t, kTile.cols * kPitch>();
    int const column = block.thread() % kWarp, band = block.thread() / kWarp;
    std::uint32_t words[kSquares][kSide] = {};
    column_of_words const from(job, place, args.source + at.source, column, band);
    if (job.source_bytes == kWord)
      load_words(block, from, words);
    else
      load_bytes(block, from, shared, words);

    // Exchange in registers, then in shared memory: rows of the destination, in the order of their places in squares.
    CUTE_UNROLL
    for (int square = 0; square < kSquares; ++square) {
      transpose_packed<Bits>(words[square]);
      CUTE_UNROLL
      for (int i = 0; i < kSide; ++i)
        block.template shared_store<1>(shared + (i * kWarp + column) * kPitch + band * kSquares + square, &words[square][i]);
    }
    block.sync();

    // Store: runs of rows of the destination.
    char* const to = args.destination + at.destination;
    if (job.destination_bytes == kUnitBytes)
      store<kUnitBytes, std::uint32_t>(block, job, place, shared, to);
    else if (job.destination_bytes == kWord)
      store<kWord, std::uint32_t>(block, job, place, shared, to);
    else
      store<1, std::uint8_t>(block, job, place, shared, to);
  }

 private:
  /// The words that a thread loads. Rows that share a byte of the destination are in reverse order if their first one is in its
  /// highest bits.
  struct column_of_words {
    char const* first;
    std::int64_t step, jump;  ///< bytes to the next row that shares a byte of the destination, and to the next one that does not
    int rows, bytes;          ///< rows and bytes of a word that are inside the matrix; any number above those of a column or word

    CUTE_HOST_DEVICE column_of_words(packed_job const& job, packed_place const& place, char const* tile, int column, int band)
        : step(job.first_is_highest ? -job.source_stride : job.source_stride),
          jump(kPerByte * job.source_stride - (kPerByte - 1) * step),
          rows(place.destination_bytes * kPerByte - kColumn * band),
          bytes(place.source_bytes - kWord * column) {
      first = tile + kColumn * band * job.source_stride + kWord * column;
      if (job.first_is_highest) first += (kPerByte - 1) * job.source_stride;
    }
    CUTE_HOST_DEVICE std::int64_t step_from(int row) const { return row % kPerByte == kPerByte - 1 ? jump : step; }
    CUTE_HOST_DEVICE bool has(int row) const { return row / kPerByte * kPerByte < rows; }
  };

  template <class Block>
  CUTE_HOST_DEVICE static void load_words(Block& block, column_of_words const& from, std::uint32_t (&words)[kSquares][kSide]) {
    char const* at = from.first;
    CUTE_UNROLL
    for (int row = 0; row < kColumn; at += from.step_from(row), ++row)
      block.template global_load<1>(reinterpret_cast<std::uint32_t const*>(at), &words[row / kSide][row % kSide],
                                    from.bytes > 0 && from.has(row));
  }

  /// Loads single bytes. Each thread passes its words through shared memory, so that the loop is not unrolled.
  template <class Block>
  CUTE_HOST_DEVICE static void load_bytes(Block& block, column_of_words const& from, std::uint32_t* shared,
                                          std::uint32_t (&words)[kSquares][kSide]) {
    char const* at = from.first;
    CORNERTURN_NO_UNROLL
    for (int row = 0; row < kColumn; at += from.step_from(row), ++row) {
      std::uint32_t word = 0;
      CUTE_UNROLL
      for (int i = 0; i < kWord; ++i) {
        std::uint8_t byte = 0;
        block.template global_load<1>(reinterpret_cast<std::uint8_t const*>(at) + i, &byte, i < from.bytes && from.has(row));
        word |= std::uint32_t(byte) << 8 * i;
      }
      block.template shared_store<1>(shared + row * kThreads + block.thread(), &word);
    }
    CUTE_UNROLL
    for (int row = 0; row < kColumn; ++row)
      block.template shared_load<1>(shared + row * kThreads + block.thread(), &words[row / kSide][row % kSide]);
    block.sync();
  }

  /// Stores runs of `Bytes` bytes, which consist of parts of type Part.
  template <int Bytes, class Part, class Block>
  CUTE_HOST_DEVICE static void store(Block& block, packed_job const& job, packed_place const& place, std::uint32_t const* shared,
                                     char* destination) {
    constexpr unsigned kLanes = kWords * kWord / Bytes, kStep = kThreads / kLanes, kAtOnce = 8;
    constexpr int kParts = Bytes / int(sizeof(Part));
    unsigned const thread = unsigned(block.thread()), byte = thread % kLanes * Bytes,
                   reversed = job.first_is_highest ? kPerByte - 1 : 0, rows = unsigned(place.source_bytes) * kPerByte;
    if (int(byte) >= place.destination_bytes) return;
    unsigned first = thread / kLanes;
    // The vectors of a warp's eight rows have different banks if four of the rows are 16 rows after the others.
    if constexpr (kLanes == 4) first = (first & ~20u) | (first & 4) << 2 | (first & 16) >> 2;
    CORNERTURN_NO_UNROLL
    for (unsigned step = 0; step < kTile.cols / kStep; step += kAtOnce) {
      CUTE_UNROLL
      for (unsigned n = 0; n < kAtOnce; ++n) {
        [[maybe_unused]] auto const mark = block.iteration(int(step + n));
        unsigned const slot = first + (step + n) * kStep, row = slot % kWarp * kSide + (slot / kWarp ^ reversed);
        auto const* const from = reinterpret_cast<Part const*>(reinterpret_cast<char const*>(shared + slot * kPitch) + byte);
        alignas(kUnitBytes) Part parts[kParts];
        CUTE_UNROLL
        for (int i = 0; i < kParts; ++i) block.template shared_load<1>(from + i, &parts[i], row < rows);
        block.template global_store<kParts>(reinterpret_cast<Part*>(destination + row * job.destination_stride + byte), parts,
                                            row < rows);
      }
    }
  }
};

}  // namespace cornerturn::tile
