#pragma once

// Tiles of packed elements of 4, 2 or 1 bits that a block of your own kernel transposes (docs/tile.md). Like tile.cuh, which it
// includes, the header is compiled as C++17 by nvcc, by NVRTC and, on the host, by other compilers.

#include <cornerturn/exchange.cuh>
#include <cornerturn/tile.cuh>

#ifdef __CUDACC__
#define CORNERTURN_BOTH __host__ __device__ __forceinline__
#else
#define CORNERTURN_BOTH inline
#endif
#ifdef __CUDA_ARCH__
#define CORNERTURN_TILE_UNROLL _Pragma("unroll")
#define CORNERTURN_TILE_UNROLL_8 _Pragma("unroll 8")
#define CORNERTURN_TILE_NO_UNROLL _Pragma("unroll 1")
#else
#define CORNERTURN_TILE_UNROLL
#define CORNERTURN_TILE_UNROLL_8
#define CORNERTURN_TILE_NO_UNROLL
#endif
namespace cornerturn {

/// A tile of packed elements of `Bits` bits, 4, 2 or 1. A row of the source has a multiple of 128 bytes, and a row of the
/// destination 16, 32, 64 or 128. All `threads` threads of a block call `load` and `store`. A thread loads a word of 32 rows, and
/// transposes it by `tile::transpose_packed`. The words pass through shared memory, from which rows of the destination are
/// stored.
template <int Bits, int Rows, int Columns>
class packed_transpose {
  static_assert(Bits == 4 || Bits == 2 || Bits == 1, "a packed element must have 4, 2 or 1 bits");
  static_assert(Columns > 0 && Columns * Bits % 1024 == 0,
                "Columns must be a multiple of 256 nibbles, 512 pairs of bits or 1024 bits");
  static_assert(Rows * Bits == 128 || Rows * Bits == 256 || Rows * Bits == 512 || Rows * Bits == 1024,
                "a column must have 16, 32, 64 or 128 bytes");
  static constexpr int kWord = 4, kVector = 16, kColumn = 32;  // bytes, bytes, rows of a thread
  static constexpr int kSide = 32 / Bits, kSquares = Bits;     // rows of a square; squares of a thread
  static constexpr int kPerByte = 8 / Bits;                    // elements
  static constexpr int kLanes = Columns / kSide;               // words of a row of the source
  static constexpr int kWords = Rows / kSide;                  // words of a row of the destination
  static constexpr int kPitch = kWords + 1;                    // words from one row to the next in shared memory
  using word = unsigned;

 public:
  /// The threads of a block, and bytes of shared memory.
  static constexpr int threads = kLanes * (Rows / kColumn);
  static constexpr int shared_bytes = Columns * kPitch * kWord;
  static_assert(threads <= 1024, "the tile must have at most 1024 threads, one for a word of 32 rows");
  static_assert(shared_bytes <= 227 << 10, "the tile must fit into a block's shared memory, 227 KiB");

  /// Loads a tile whose rows are `pitch` bytes apart in global memory. The first element of a byte is in its lowest bits or, if
  /// `first_is_highest`, in its highest. Bounds are in elements; elements outside become zero. An element within, an `unsigned`
  /// below 2^Bits, becomes the lowest bits of operation(element) or of operation(element, row in the tile, column in the tile).
  template <class Context, class Operation = tile::detail::identity>
  CORNERTURN_BOTH static void load(Context& context, void const* from, long long pitch, tile::bounds bounds,
                                   bool first_is_highest = false, Operation const& operation = {}) {
    if (bounds.rows < 0) bounds.rows = 0;  // a thread subtracts its first row
    bool const is_whole = (bounds.columns >= Columns || bytes_of(bounds.columns) % kWord == 0) &&
                          (bounds.rows >= Rows || bounds.rows % kPerByte == 0);
    load_by(context, from, pitch, bounds, is_whole && is_aligned(from, pitch, kWord) ? kWord : 1, first_is_highest, operation);
  }
  /// The same by accesses of `width` bytes, 4 or 1. Words are aligned, and the bounds, 0 or more, may cut neither them nor bytes
  /// of the destination.
  template <class Context, class Operation = tile::detail::identity>
  CORNERTURN_BOTH static void load_by(Context& context, void const* from, long long pitch, tile::bounds bounds, int width,
                                      bool first_is_highest, Operation const& operation = {}) {
    auto* const shared = context.template shared<word, Columns * kPitch>();
    int const lane = context.thread() % kLanes, band = context.thread() / kLanes;
    word words[kSquares][kSide] = {};
    column_of_words const column(static_cast<char const*>(from), pitch, bounds, lane, band, first_is_highest);
    if (width == kWord)
      load_words(context, column, words);
    else
      load_bytes(context, column, shared, words);
    change(words, kColumn * band, kSide * lane, bounds, first_is_highest ? kPerByte - 1 : 0, operation);
    CORNERTURN_TILE_UNROLL
    for (int square = 0; square < kSquares; ++square) {
      tile::transpose_packed<Bits>(words[square]);
      CORNERTURN_TILE_UNROLL
      for (int i = 0; i < kSide; ++i)  // rows of the destination are in the order of their places in squares
        context.template shared_store<1>(shared + (i * kLanes + lane) * kPitch + band * kSquares + square, &words[square][i]);
    }
  }

  /// Waits for the block's threads and stores the transposed tile, whose rows are `pitch` bytes apart in global memory. Bounds
  /// are those of `load`. The last byte of a row is stored whole. `context.sync()` comes before the next `load`.
  template <class Context>
  CORNERTURN_BOTH static void store(Context& context, void* to, long long pitch, tile::bounds bounds,
                                    bool first_is_highest = false) {
    int const bytes = bounds.rows >= Rows ? 0 : bytes_of(bounds.rows);
    store_by(context, to, pitch, bounds,
             bytes % kVector == 0 && is_aligned(to, pitch, kVector) ? kVector
             : bytes % kWord == 0 && is_aligned(to, pitch, kWord)   ? kWord
                                                                    : 1,
             first_is_highest);
  }
  /// The same by accesses of `width` bytes, 16, 4 or 1, which are aligned and may not be cut by the bounds.
  template <class Context>
  CORNERTURN_BOTH static void store_by(Context& context, void* to, long long pitch, tile::bounds bounds, int width,
                                       bool first_is_highest) {
    context.sync();
    if (width == kVector)
      store_rows<kVector, word>(context, to, pitch, bounds, first_is_highest);
    else if (width == kWord)
      store_rows<kWord, word>(context, to, pitch, bounds, first_is_highest);
    else
      store_rows<1, unsigned char>(context, to, pitch, bounds, first_is_highest);
  }

 private:
  CORNERTURN_BOTH static constexpr int bytes_of(int elements) { return elements / kPerByte + (elements % kPerByte > 0); }
  CORNERTURN_BOTH static bool is_aligned(void const* memory, long long pitch, int bytes) {
    return (reinterpret_cast<unsigned long long>(memory) | static_cast<unsigned long long>(pitch)) % unsigned(bytes) == 0;
  }

  /// The words that a thread loads. Rows that share a byte of the destination are in reverse order if their first one is in its
  /// highest bits.
  struct column_of_words {
    char const* first;
    long long step, jump;  ///< bytes to the next row that shares a byte of the destination, and to the next one that does not
    int rows, bytes;       ///< rows and bytes of a word that are within the bounds; any number above those of a column or word
    bool reversed;

    CORNERTURN_BOTH column_of_words(char const* tile, long long pitch, tile::bounds bounds, int lane, int band,
                                    bool first_is_highest)
        : step(first_is_highest ? -pitch : pitch),
          jump(kPerByte * pitch - (kPerByte - 1) * step),
          rows(bounds.rows - kColumn * band),
          bytes(bytes_of(bounds.columns) - kWord * lane),
          reversed(first_is_highest) {
      first = tile + kColumn * band * pitch + kWord * lane;
      if (first_is_highest) first += (kPerByte - 1) * pitch;
    }
    CORNERTURN_BOTH long long step_from(int row) const { return row % kPerByte == kPerByte - 1 ? jump : step; }
    /// True if a row, or if all rows that share its byte of the destination, are within the bounds.
    CORNERTURN_BOTH bool has(int row) const { return (reversed ? row ^ (kPerByte - 1) : row) < rows; }
    CORNERTURN_BOTH bool has_byte_of(int row) const { return row / kPerByte * kPerByte < rows; }
  };

  template <class Context>
  CORNERTURN_BOTH static void load_words(Context& context, column_of_words const& from, word (&words)[kSquares][kSide]) {
    char const* at = from.first;
    CORNERTURN_TILE_UNROLL
    for (int row = 0; row < kColumn; at += from.step_from(row), ++row)
      context.template global_load<1>(reinterpret_cast<word const*>(at), &words[row / kSide][row % kSide],
                                      from.bytes > 0 && from.has_byte_of(row));
  }

  /// Loads single bytes. Each thread passes its words through shared memory, so that the loop is not unrolled.
  template <class Context>
  CORNERTURN_BOTH static void load_bytes(Context& context, column_of_words const& from, word* shared,
                                         word (&words)[kSquares][kSide]) {
    char const* at = from.first;
    CORNERTURN_TILE_NO_UNROLL
    for (int row = 0; row < kColumn; at += from.step_from(row), ++row) {
      word each = 0;
      CORNERTURN_TILE_UNROLL
      for (int i = 0; i < kWord; ++i) {
        unsigned char byte = 0;
        context.template global_load<1>(reinterpret_cast<unsigned char const*>(at) + i, &byte, i < from.bytes && from.has(row));
        each |= word(byte) << 8 * i;
      }
      context.template shared_store<1>(shared + row * threads + context.thread(), &each);
    }
    CORNERTURN_TILE_UNROLL
    for (int row = 0; row < kColumn; ++row)
      context.template shared_load<1>(shared + row * threads + context.thread(), &words[row / kSide][row % kSide]);
    context.sync();
  }

  /// Changes the elements of a thread's words that are within the bounds. Word r has row `row` + (r ^ reversed) and, in its bits
  /// from i * Bits on, column `column` + (i ^ reversed).
  template <class Operation>
  CORNERTURN_BOTH static void change(word (&words)[kSquares][kSide], int row, int column, tile::bounds bounds, int reversed,
                                     Operation const& operation) {
    constexpr word kOnes = (1U << Bits) - 1;
    CORNERTURN_TILE_UNROLL
    for (int r = 0; r < kColumn; ++r) {
      word& each = words[r / kSide][r % kSide];
      int const at_row = row + (r ^ reversed);
      word changed = 0;
      CORNERTURN_TILE_UNROLL_8
      for (int i = 0; i < kSide; ++i) {
        int const at_column = column + (i ^ reversed);
        if (at_row < bounds.rows && at_column < bounds.columns)
          changed |= (word(tile::detail::apply(operation, each >> i * Bits & kOnes, at_row, at_column, 0)) & kOnes) << i * Bits;
      }
      each = changed;
    }
  }
  CORNERTURN_BOTH static void change(word (&)[kSquares][kSide], int, int, tile::bounds, int, tile::detail::identity const&) {}

  /// The row of shared memory with which a warp begins. The vectors of its rows have different banks if those rows whose vectors
  /// would overlap are 16 or, of four vectors a pair, 8 rows apart.
  template <unsigned Lanes>
  CORNERTURN_BOTH static constexpr unsigned spread(unsigned row) {
    if (Lanes == 4) return (row & ~20U) | (row & 4) << 2 | (row & 16) >> 2;
    if (Lanes == 2) return (row & ~28U) | (row & 12) << 1 | (row & 16) >> 2;
    return row;
  }

  /// Stores runs of `Bytes` bytes, which consist of parts of type Part.
  template <int Bytes, class Part, class Context>
  CORNERTURN_BOTH static void store_rows(Context& context, void* to, long long pitch, tile::bounds bounds,
                                         bool first_is_highest) {
    constexpr unsigned kAcross = kWords * kWord / Bytes, kStep = threads / kAcross, kSteps = Columns / kStep,
                       kAtOnce = kSteps < 8 ? kSteps : 8;
    constexpr int kParts = Bytes / int(sizeof(Part));
    static_assert(threads % kAcross == 0 && Columns % kStep == 0 && kSteps % kAtOnce == 0, "");
    auto const* const shared = context.template shared<word, Columns * kPitch>();
    unsigned const thread = unsigned(context.thread()), byte = thread % kAcross * Bytes,
                   reversed = first_is_highest ? kPerByte - 1 : 0;
    if (int(byte) >= bytes_of(bounds.rows)) return;
    unsigned const first = thread / kAcross;
    CORNERTURN_TILE_NO_UNROLL
    for (unsigned step = 0; step < kSteps; step += kAtOnce) {
      CORNERTURN_TILE_UNROLL
      for (unsigned n = 0; n < kAtOnce; ++n) {
        unsigned const apart = (step + n) * kStep,
                       slot = kStep % 32 == 0 ? spread<kAcross>(first) + apart : spread<kAcross>(first + apart),
                       row = slot % kLanes * kSide + (slot / kLanes ^ reversed);
        auto const* const from = reinterpret_cast<Part const*>(reinterpret_cast<char const*>(shared + slot * kPitch) + byte);
        alignas(kVector) Part parts[kParts];
        CORNERTURN_TILE_UNROLL
        for (int i = 0; i < kParts; ++i) context.template shared_load<1>(from + i, &parts[i], int(row) < bounds.columns);
        context.template global_store<kParts>(reinterpret_cast<Part*>(static_cast<char*>(to) + row * pitch + byte), parts,
                                              int(row) < bounds.columns);
      }
    }
  }
};

}  // namespace cornerturn
#undef CORNERTURN_BOTH
#undef CORNERTURN_TILE_UNROLL
#undef CORNERTURN_TILE_UNROLL_8
#undef CORNERTURN_TILE_NO_UNROLL
