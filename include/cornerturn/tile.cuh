#pragma once
// Tiles of matrices that a block of your own kernel transposes through shared memory (docs/tile.md). The header is compiled as
// C++17 by nvcc, by NVRTC and, for its constants, by host compilers. It includes no other header of cornerturn.
#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstring>
#endif
#ifdef __CUDACC__
#define CORNERTURN_BOTH __host__ __device__ __forceinline__
#else
#define CORNERTURN_BOTH inline
#endif
#ifdef __CUDA_ARCH__
#define CORNERTURN_TILE_UNROLL _Pragma("unroll")
#define CORNERTURN_TILE_UNROLL_8 _Pragma("unroll 8")
#else
#define CORNERTURN_TILE_UNROLL
#define CORNERTURN_TILE_UNROLL_8
#endif
namespace cornerturn {
namespace tile {
/// CuTe's Swizzle<bits, base, shift>: `bits` bits of an offset, from bit base + shift on, are XORed to the bits from `base` on.
/// If `shift` is negative, the bits from `base` on are XORed to those from base - shift on.
struct xor_swizzle {
  int bits = 0, base = 0, shift = 0;
  /// What is XORed to an offset.
  CORNERTURN_BOTH constexpr int change(int offset) const {
    int const ones = ((1 << bits) - 1) << base;
    return shift < 0 ? (offset & ones) << -shift : (offset >> shift) & ones;
  }
};

namespace detail {
constexpr int kVectorBytes = 16, kBankCycle = 128;
CORNERTURN_BOTH constexpr int log2_exact(int x) { return x > 1 ? 1 + log2_exact(x / 2) : 0; }
/// The least power of two that is x or more.
CORNERTURN_BOTH constexpr int power_of_two_from(int x) {
  for (int result = 1;; result *= 2)
    if (result >= x) return result;
}
/// The greatest power of two that divides x and is at most `most`, a power of two.
CORNERTURN_BOTH constexpr int power_of_two_in(int x, int most) { return x % most ? power_of_two_in(x, most / 2) : most; }
}  // namespace detail
/// An access of a warp to shared memory in which a lane's address is the XOR of the addresses of the lanes 1, 2, 4, 8 and 16 that
/// its index is made of. If the addresses of several requests differ by an XOR with a constant, all have the same conflicts.
struct warp_access {
  int address[5];    ///< bytes: the addresses of these lanes; lane 0 has address 0, and so have lanes that do not exist
  int bytes;         ///< width of the access
  int requests = 1;  ///< requests with these addresses
  /// The binary logarithm of the lanes that shared memory serves together.
  CORNERTURN_BOTH constexpr int served() const { return bytes <= 4 ? 5 : 7 - detail::log2_exact(bytes); }
  /// The wavefronts of a request without bank conflicts: one for each group of lanes.
  CORNERTURN_BOTH constexpr int ideal() const {
    int result = 1;
    for (int i = served(); i < 5; ++i) result *= address[i] ? 2 : 1;
    return result;
  }
  /// The wavefronts of a request. A group of lanes accesses 2^rank words in 2^rank banks. The ranks are those of matrices over
  /// GF(2), whose rows are the bits of the lanes' addresses. One elimination, bits of banks first, has both ranks.
  CORNERTURN_BOTH constexpr int wavefronts(xor_swizzle const& swizzle) const {
    int const lanes = served(), unit = bytes < 4 ? 4 : bytes;
    int basis[5] = {}, count = 0, result = ideal();
    for (int i = 0; i < lanes; ++i) {
      int const at = (address[i] ^ swizzle.change(address[i])) & -unit;
      int each = at % detail::kBankCycle << 24 | at / detail::kBankCycle;
      for (int k = 0; k < count; ++k) each = (each ^ basis[k]) < each ? each ^ basis[k] : each;
      if (each) basis[count++] = each, result <<= each >> 24 == 0;
    }
    return result;
  }
};

/// The swizzle of byte addresses with the fewest wavefronts of all requests, and their number. It changes banks only, and keeps
/// `vector` bytes contiguous. Of equal ones it has the fewest bits, then a positive shift, then the least base, then shift.
struct found_swizzle {
  xor_swizzle swizzle;
  int wavefronts = 0, ideal = 0;
  template <class Accesses>
  CORNERTURN_BOTH static constexpr found_swizzle of(Accesses const& accesses, xor_swizzle const& swizzle) {
    found_swizzle result{swizzle};
    for (auto const& each : accesses)
      result.wavefronts += each.requests * each.wavefronts(swizzle), result.ideal += each.requests * each.ideal();
    return result;
  }
  template <class Accesses>
  CORNERTURN_BOTH static constexpr found_swizzle search(Accesses const& accesses, int vector, int address_bits) {
    auto best = of(accesses, {});
    int read = 0;  // bits of the lanes' addresses
    for (auto const& each : accesses)
      for (int const address : each.address) read |= address;
    for (int bits = 1; bits <= 5; ++bits)
      for (int sign = 1; sign >= -1; sign -= 2)
        for (int base = detail::log2_exact(vector); base + 2 * bits <= address_bits; ++base)
          for (int shift = bits; base + bits + shift <= address_bits; ++shift) {
            int const from = sign > 0 ? base + shift : base, to = sign > 0 ? base : base + shift;
            if (best.wavefronts == best.ideal) return best;
            if (detail::kBankCycle >> (to + bits) == 0) break;
            if (to < 2 || (read >> from & read >> (from + bits - 1) & 1) == 0) continue;  // like one of fewer bits
            int sum = best.ideal;
            for (auto const& each : accesses)
              if (sum < best.wavefronts) sum += each.requests * (each.wavefronts({bits, base, sign * shift}) - each.ideal());
            if (sum < best.wavefronts) best = {{bits, base, sign * shift}, sum, best.ideal};
          }
    return best;
  }
};

/// The rows and columns of the source from a tile's first element on. They may exceed the tile.
struct bounds {
  int rows, columns;
};

/// How the threads of a block divide a tile. Units that are neighbours along one side, the fast one, are contiguous in global
/// memory. A warp has `fast_lanes` units along it, and 32 / fast_lanes along the other side.
struct warp_map {
  unsigned fast_unit = 1, slow_unit = 1;  ///< elements of a unit along each side
  unsigned fast_lanes = 1;                ///< a power of two, at most 32
  bool slow_first = false;                ///< consecutive lanes are along the slow side
  unsigned warps = 1, fast_warps = 1;     ///< warps of the block; warps that fill the fast side
  int steps = 1;                          ///< units of each thread
  bool is_exact = false;                  ///< no unit is outside the tile
  CORNERTURN_BOTH static constexpr warp_map of(warp_map each, int fast, int slow) {
    int const slow_span = int(32 / each.fast_lanes * each.slow_unit), warps = int(each.warps);
    each.fast_warps = unsigned(fast) / (each.fast_unit * each.fast_lanes);
    int const units = int(each.fast_warps) * ((slow + slow_span - 1) / slow_span);
    each.steps = (units + warps - 1) / warps;
    each.is_exact = slow % slow_span == 0 && units % warps == 0;
    return each;
  }
  /// The first element of a thread's unit along each side. Only that along the slow side may be outside the tile.
  CORNERTURN_BOTH constexpr int fast(unsigned thread, unsigned step) const {
    unsigned const lane = thread % 32, index = slow_first ? lane / (32 / fast_lanes) : lane % fast_lanes;
    return int(((thread / 32 + step * warps) % fast_warps * fast_lanes + index) * fast_unit);
  }
  CORNERTURN_BOTH constexpr int slow(unsigned thread, unsigned step) const {
    unsigned const lane = thread % 32, index = slow_first ? lane % (32 / fast_lanes) : lane / fast_lanes;
    return int(((thread / 32 + step * warps) / fast_warps * (32 / fast_lanes) + index) * slow_unit);
  }
};

/// How a tile is transposed. A thread loads squares, `along` elements of `across` rows, and stores their columns to shared
/// memory, which has the columns of the tile one after another. From there it moves `vector` elements at once to the destination.
struct tile_scheme {
  int element = 1, rows = 1, columns = 1;  ///< bytes of an element, and the tile
  int along = 1, across = 1, vector = 1;   ///< elements
  int pitch = 1;                           ///< elements of shared memory from one column to the next
  xor_swizzle swizzle = {};                ///< of offsets in elements
  int turn = 0;                            ///< bits of a square's index along the row that are XORed to the order of its columns
  warp_map squares = {}, vectors = {};
  warp_access shared_store = {}, shared_load = {};
  /// The element of shared memory that has an element of the tile, linear over bits if the pitch is a power of two.
  CORNERTURN_BOTH constexpr int offset(int row, int column) const {
    int const next = detail::power_of_two_from(pitch), least = swizzle.base + (swizzle.shift > 0 ? swizzle.shift : 0);
    return (column * pitch + row) ^ swizzle.change(column * next + (next >> least > 1 ? row : 0));
  }
  CORNERTURN_BOTH constexpr xor_swizzle swizzle_of_bytes() const {
    return {swizzle.bits, swizzle.base + detail::log2_exact(element), swizzle.shift};
  }
};

namespace detail {
/// The addresses of a warp's lanes, in shared memory whose pitch is a power of two.
CORNERTURN_BOTH constexpr warp_access access_of(tile_scheme const& scheme, bool store) {
  warp_map const& map = store ? scheme.squares : scheme.vectors;
  int const requests = map.steps * int(map.warps), slow_side = store ? scheme.rows : scheme.columns;
  warp_access result = {{}, (store ? scheme.across : scheme.vector) * scheme.element, store ? requests * scheme.along : requests};
  for (int i = 0; i < 5; ++i) {
    int const fast = map.fast(1u << i, 0), slow = map.slow(1u << i, 0), row = store ? slow : fast,
              column = store ? fast ^ (fast / scheme.along & scheme.turn) : slow;
    if (slow < slow_side) result.address[i] = (column * power_of_two_from(scheme.pitch) + row) * scheme.element;
  }
  return result;
}
/// Widths of at most 16 bytes that divide the tile. They are narrower if the tile has fewer units than the block has threads.
CORNERTURN_BOTH constexpr tile_scheme widths_of(int element, int rows, int columns, int threads) {
  int const widest = kVectorBytes / element, narrowest = element < 4 ? 4 / element : 1, cycle = kBankCycle / element;
  tile_scheme result{element, rows, columns};
  result.along = power_of_two_in(columns, widest), result.vector = power_of_two_in(rows, widest);
  result.across = power_of_two_in(rows, widest < 4 ? widest : 4);
  while (rows / result.across * (columns / result.along) < threads) {
    int& wider = result.along > result.across ? result.along : result.across;
    if (wider <= narrowest) break;
    wider /= 2;
  }
  while (rows / result.vector * columns < threads && result.vector > narrowest) result.vector /= 2;
  result.pitch = rows < cycle ? power_of_two_from(rows) : (rows + cycle - 1) / cycle * cycle;
  return result;
}
/// Chooses how the warps divide a tile and, if none is given, the swizzle of byte addresses.
CORNERTURN_BOTH constexpr tile_scheme choose(int element, int rows, int columns, int threads, bool is_given = false,
                                             xor_swizzle const& given = {0, 0, 0}) {
  tile_scheme each = widths_of(element, rows, columns, threads), best;
  int const least = log2_exact(element), contiguous = each.across > each.vector ? each.across : each.vector;
  int const bits = log2_exact(power_of_two_from(each.pitch) * power_of_two_from(columns)) + least;
  unsigned const along = unsigned(each.along), across = unsigned(each.across), warps = unsigned(threads) / 32;
  unsigned const vector_lanes = unsigned(power_of_two_in(rows / each.vector, 32));
  each.vectors = warp_map::of({unsigned(each.vector), 1, vector_lanes, false, warps}, rows, columns);
  each.shared_load = access_of(each, false);
  int fewest = 0, ideal = 0;  // wavefronts
  // Squares are turned only if a given swizzle has conflicts otherwise.
  int const turns = is_given && each.across * element >= 4 ? power_of_two_in(each.along, 4) : 1;
  for (each.turn = 0; each.turn < turns; each.turn = 2 * each.turn + 1)
    for (int lanes = power_of_two_in(columns / each.along, 32); lanes > 0; lanes /= 2)
      for (int slow_first = 0; slow_first < 2; ++slow_first) {
        each.squares = warp_map::of({along, across, unsigned(lanes), slow_first == 1, warps}, columns, rows);
        each.shared_store = access_of(each, true);
        // Lanes of a group that are along a row are in different columns, so they need banks of their own.
        int const group = 1 << each.shared_store.served();
        int const in_group = slow_first ? group * lanes / 32 : power_of_two_in(group, lanes);
        // Their order does not matter if they are served together, or if all are along one side.
        if (in_group * contiguous * element > kBankCycle || (slow_first && (group == 32 || lanes == 1 || lanes == 32))) continue;
        warp_access const both[] = {each.shared_store, each.shared_load};
        auto const found = is_given ? found_swizzle::of(both, given) : found_swizzle::search(both, contiguous * element, bits);
        each.swizzle = {found.swizzle.bits, found.swizzle.bits ? found.swizzle.base - least : 0, found.swizzle.shift};
        if (fewest == 0 || found.wavefronts < fewest) best = each, fewest = found.wavefronts;
        if (ideal == 0 || found.ideal < ideal) ideal = found.ideal;
        if (fewest == ideal) return best;
      }
  return best;
}
struct identity {};
template <class U>
CORNERTURN_BOTH constexpr U apply(identity const&, U value, int, int, int) {
  return value;
}
/// Calls an operation with an element and its place in the tile, or with the element alone.
template <class Operation, class U>
CORNERTURN_BOTH auto apply(Operation const& operation, U value, int row, int column, int)
    -> decltype(operation(value, row, column)) {
  return operation(value, row, column);
}
template <class Operation, class U>
CORNERTURN_BOTH auto apply(Operation const& operation, U value, int, int, long) {
  return operation(value);  // an operation takes an element, or an element, its row and its column
}
/// The elements of type U in one access: at most `count`, and at most 16 bytes.
template <class U>
CORNERTURN_BOTH constexpr int piece_of(int count) {
  static_assert(sizeof(U) <= 16 && (sizeof(U) & (sizeof(U) - 1)) == 0, "a global element must have 1, 2, 4, 8 or 16 bytes");
  return count * int(sizeof(U)) <= kVectorBytes ? count : kVectorBytes / int(sizeof(U));
}
/// Swaps two runs of elements as words, if asked.
template <class T, int Count>
CORNERTURN_BOTH void swap_if(bool swaps, T (&a)[Count], T (&b)[Count]) {
  unsigned x[(sizeof(a) + 3) / 4] = {}, y[(sizeof(a) + 3) / 4] = {};
  memcpy(x, a, sizeof(a)), memcpy(y, b, sizeof(b));
  CORNERTURN_TILE_UNROLL
  for (unsigned i = 0; i < (sizeof(a) + 3) / 4; ++i)
    if (unsigned const before = x[i]; swaps) x[i] = y[i], y[i] = before;
  memcpy(a, x, sizeof(a)), memcpy(b, y, sizeof(b));
}
/// True if the tile is within the bounds, and its runs of `Count` elements are aligned in global memory.
template <int Count, class U>
CORNERTURN_BOTH bool is_whole(U const* global, long long pitch, bounds const& inside, bounds const& tile) {
  auto const bytes = reinterpret_cast<unsigned long long>(global) | static_cast<unsigned long long>(pitch) * sizeof(U);
  return bytes % (piece_of<U>(Count) * sizeof(U)) == 0 && inside.rows >= tile.rows && inside.columns >= tile.columns;
}
}  // namespace detail
/// An error of compilation. Its arguments are wavefronts of a store and a load: with a given swizzle, and without conflicts.
template <int Got, int Ideal>
struct conflict {
  static_assert(Got <= Ideal, "the swizzle has bank conflicts: conflict<its wavefronts, wavefronts without conflicts>");
  static constexpr bool is_none = true;
};

/// The swizzle that a search finds.
struct searched {
  static constexpr bool is_given = false;
  static constexpr xor_swizzle swizzle{0, 0, 0};
  static constexpr int column_bytes = 0;
};
/// CuTe's Swizzle<Bits, Base, Shift> of byte addresses, for tiles whose columns have `ColumnBytes` bytes, unless it is 0.
template <int Bits, int Base, int Shift, int ColumnBytes = 0>
struct byte_swizzle {
  static_assert(Bits == 0 || (Base >= 4 && Bits <= 3 && Base <= 7 - Bits + (Shift < 0 ? Shift : 0)),
                "a swizzle must change the places of 16 bytes within 128 bytes");
  static_assert(Bits >= 0 && Shift <= 18 && (Shift < 0 ? Shift <= -Bits : Shift >= Bits),
                "Shift must be from Bits to 18, or -Bits or less");
  static constexpr int column_bytes = ColumnBytes;
  static constexpr xor_swizzle swizzle{Bits, Bits ? Base : 0, Bits ? Shift : 0};
  static constexpr bool is_given = true;
};
/// The modes of TMA and wgmma. The tile's shared memory is then aligned to eight columns.
using tma_32 = byte_swizzle<1, 4, 3, 32>;
using tma_64 = byte_swizzle<2, 4, 3, 64>;
using tma_128 = byte_swizzle<3, 4, 3, 128>;

#ifdef __CUDACC__
/// The block of a kernel. Any object with these functions can take its place.
class thread_block {
 public:
  /// `shared` is aligned to 16 bytes. `thread` is the index among the threads of the tile.
  __device__ explicit thread_block(void* shared, unsigned thread = threadIdx.x)
      : shared_(static_cast<char*>(shared)), thread_(int(thread)) {}
  __device__ int thread() const { return thread_; }
  __device__ void sync() const { __syncthreads(); }
  /// `Count` objects of shared memory, `offset` bytes from its start.
  template <class T, int Count>
  __device__ T* shared(int offset = 0) const {
    return reinterpret_cast<T*>(shared_ + offset);
  }
  /// Moves V elements by one access, if `active`. Stores of 16 bytes are PTX, because nvcc splits some of them into four.
  template <int V, class T>
  __device__ void global_load(T const* from, T* to, bool active) const {
    if (active) move<V * sizeof(T)>(from, to);
  }
  template <int V, class T>
  __device__ void shared_load(T const* from, T* to, bool active = true) const {
    if (active) move<V * sizeof(T)>(from, to);
  }
  template <int V, class T>
  __device__ void global_store(T* to, T const* from, bool active) const {
    if (!active) return;
    if constexpr (V * sizeof(T) < 16) return move<V * sizeof(T)>(from, to);
    auto const v = *reinterpret_cast<uint4 const*>(from);
    asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x), "r"(v.y), "r"(v.z),
                 "r"(v.w)
                 : "memory");
  }
  template <int V, class T>
  __device__ void shared_store(T* to, T const* from, bool active = true) const {
    if (!active) return;
    if constexpr (V * sizeof(T) < 16) return move<V * sizeof(T)>(from, to);
    auto const v = *reinterpret_cast<uint4 const*>(from);
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(unsigned(__cvta_generic_to_shared(to))), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
  }

 private:
  template <int Bytes, class T>
  __device__ static void move(T const* from, T* to) {
    if constexpr (Bytes == 16) *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4 const*>(from);
    if constexpr (Bytes == 8) *reinterpret_cast<uint2*>(to) = *reinterpret_cast<uint2 const*>(from);
    if constexpr (Bytes == 4) *reinterpret_cast<unsigned*>(to) = *reinterpret_cast<unsigned const*>(from);
    if constexpr (Bytes == 2) *reinterpret_cast<unsigned short*>(to) = *reinterpret_cast<unsigned short const*>(from);
    if constexpr (Bytes == 1) *reinterpret_cast<unsigned char*>(to) = *reinterpret_cast<unsigned char const*>(from);
  }
  char* shared_;
  int thread_;
};
#endif
}  // namespace tile
/// A tile of elements T that a block of `Threads` threads transposes through shared memory. All of them call `load` and `store`.
/// A tile within the bounds, whose rows are aligned to 16 bytes in global memory, is moved in vectors, any other one by elements.
template <class T, int Rows, int Columns, int Threads, class Swizzle = tile::searched>
class tile_transpose {
  static_assert(sizeof(T) <= 16 && (sizeof(T) & (sizeof(T) - 1)) == 0, "an element must have 1, 2, 4, 8 or 16 bytes");
  static_assert(Threads >= 32 && Threads <= 1024 && Threads % 32 == 0, "Threads must be a multiple of 32 from 32 to 1024");
  static_assert(Rows >= 1 && Columns >= 1 && Rows <= 4096 && Columns <= 4096, "Rows and Columns must be from 1 to 4096");
  static_assert(!Swizzle::column_bytes || Rows * sizeof(T) == Swizzle::column_bytes,
                "a column must have the bytes of TMA's mode");

 public:
  /// How the tile is transposed.
  static constexpr tile::tile_scheme scheme =
      tile::detail::choose(sizeof(T), Rows, Columns, Threads, Swizzle::is_given, Swizzle::swizzle);
  /// Bytes of shared memory; a multiple of the 128 within which a given swizzle changes places.
  static constexpr int shared_bytes =
      (Columns * scheme.pitch * int(sizeof(T)) + (Swizzle::is_given ? 127 : 0)) & (Swizzle::is_given ? -128 : -1);
  /// The wavefronts of a request to store to shared memory and of one to load from it, and their sum without bank conflicts.
  static constexpr int store_wavefronts = scheme.shared_store.wavefronts(scheme.swizzle_of_bytes());
  static constexpr int load_wavefronts = scheme.shared_load.wavefronts(scheme.swizzle_of_bytes());
  static constexpr int ideal_wavefronts = scheme.shared_store.ideal() + scheme.shared_load.ideal();
  static_assert(Swizzle::swizzle.bits == 0 || (scheme.pitch & (scheme.pitch - 1)) == 0,
                "with a swizzle of your own, the bytes of a column must be a power of two, or less than 128");
  static_assert(shared_bytes <= 227 << 10, "the tile must fit into a block's shared memory, 227 KiB");
  static_assert(tile::conflict<(Swizzle::is_given ? store_wavefronts + load_wavefronts : 0), ideal_wavefronts>::is_none, "");
  /// The element of shared memory that has an element of the tile.
  CORNERTURN_BOTH static constexpr int offset(int row, int column) {
    constexpr auto kScheme = scheme;
    return kScheme.offset(row, column);
  }
  /// The tile's shared memory.
  template <class Context>
  CORNERTURN_BOTH static T* data(Context const& context) {
    return context.template shared<T, Columns * scheme.pitch>();
  }
  /// Loads a tile whose rows are `pitch` elements apart in global memory. It can be read after `context.sync()`. An element
  /// becomes operation(element) or operation(element, row in the tile, column in the tile); one outside the bounds becomes T{}.
  template <class Context, class S, class Operation = tile::detail::identity>
  CORNERTURN_BOTH static void load(Context& context, S const* from, long long pitch, tile::bounds bounds,
                                   Operation const& operation = {}) {
    if (tile::detail::is_whole<kAlong>(from, pitch, bounds, {Rows, Columns}))
      return load_squares(context, from, pitch, operation);
    CORNERTURN_TILE_UNROLL_8
    for (int i = context.thread(); i < Rows * Columns; i += Threads) {
      int const row = i / Columns, column = i % Columns;
      bool const active = row < bounds.rows && column < bounds.columns;
      alignas(sizeof(S)) S held = {};
      context.template global_load<1>(from + row * pitch + column, &held, active);
      alignas(sizeof(T)) T const result = active ? T(tile::detail::apply(operation, held, row, column, 0)) : T{};
      context.template shared_store<1>(data(context) + offset(row, column), &result);
    }
  }
  /// Waits for the block's threads and stores the transposed tile, whose rows are `pitch` elements apart in global memory. Bounds
  /// and arguments of the operation are those of `load`. `context.sync()` comes before the next `load`.
  template <class Context, class D, class Operation = tile::detail::identity>
  CORNERTURN_BOTH static void store(Context& context, D* to, long long pitch, tile::bounds bounds,
                                    Operation const& operation = {}) {
    context.sync();
    if (tile::detail::is_whole<kVector>(to, pitch, bounds, {Rows, Columns})) return store_vectors(context, to, pitch, operation);
    CORNERTURN_TILE_UNROLL_8
    for (int i = context.thread(); i < Rows * Columns; i += Threads) {
      int const row = i % Rows, column = i / Rows;
      bool const active = row < bounds.rows && column < bounds.columns;
      alignas(sizeof(T)) T held = {};
      context.template shared_load<1>(data(context) + offset(row, column), &held, active);
      alignas(sizeof(D)) D const result = active ? D(tile::detail::apply(operation, held, row, column, 0)) : D{};
      context.template global_store<1>(to + column * pitch + row, &result, active);
    }
  }

#ifndef __CUDACC_RTC__
  /// Prints how the tile is transposed.
  static void explain() {
    constexpr auto kSwizzle = scheme.swizzle_of_bytes();
    std::printf(
        "%d x %d elements of %d bytes, %d threads: Swizzle<%d, %d, %d> of %d bytes\n"
        "wavefronts of a request: %d to store, %d to load, %d together without bank conflicts\n",
        Rows, Columns, int(sizeof(T)), Threads, kSwizzle.bits, kSwizzle.base, kSwizzle.shift, +shared_bytes, +store_wavefronts,
        +load_wavefronts, +ideal_wavefronts);
  }
#endif

 private:
  static constexpr int kAlong = scheme.along, kAcross = scheme.across, kVector = scheme.vector, kTurn = scheme.turn;
  /// The units that a thread moves at once: a divisor of its steps, of up to `most` bytes.
  CORNERTURN_BOTH static constexpr int at_once(int steps, int unit, int most) {
    for (int count = steps;; --count)
      if (count == 1 || (steps % count == 0 && count * unit <= most)) return count;
  }
  template <class Context, class S, class Operation>
  CORNERTURN_BOTH static void load_squares(Context& context, S const* from, long long pitch, Operation const& operation) {
    constexpr tile::warp_map kMap = scheme.squares;
    constexpr int kSquares = at_once(kMap.steps, kAlong * kAcross * int(sizeof(S)), 128),
                  kPiece = tile::detail::piece_of<S>(kAlong);
    CORNERTURN_TILE_UNROLL
    for (int first = 0; first < kMap.steps; first += kSquares) {
      alignas(16) S held[kSquares][kAcross][kAlong];
      CORNERTURN_TILE_UNROLL
      for (int n = 0; n < kSquares; ++n) {
        int const row = kMap.slow(context.thread(), first + n), column = kMap.fast(context.thread(), first + n);
        bool const active = kMap.is_exact || row < Rows;
        CORNERTURN_TILE_UNROLL
        for (int r = 0; r < kAcross; ++r) CORNERTURN_TILE_UNROLL
        for (int c = 0; c < kAlong; c += kPiece)
          context.template global_load<kPiece>(from + (row + r) * pitch + column + c, &held[n][r][c], active);
      }
      CORNERTURN_TILE_UNROLL
      for (int n = 0; n < kSquares; ++n) {
        int const row = kMap.slow(context.thread(), first + n), column = kMap.fast(context.thread(), first + n);
        bool const active = kMap.is_exact || row < Rows;
        alignas(16) T columns[kAlong][kAcross];
        CORNERTURN_TILE_UNROLL
        for (int c = 0; c < kAlong; ++c) CORNERTURN_TILE_UNROLL
        for (int r = 0; r < kAcross; ++r)
          columns[c][r] = active ? T(tile::detail::apply(operation, held[n][r][c], row + r, column + c, 0)) : T{};
        int const turn = column / kAlong & kTurn;  // column c becomes what column c ^ turn is
        CORNERTURN_TILE_UNROLL
        for (int bit = 1; bit <= kTurn; bit *= 2) CORNERTURN_TILE_UNROLL
        for (int c = 0; c < kAlong; ++c)
          if (!(c & bit)) tile::detail::swap_if(turn & bit, columns[c], columns[c | bit]);
        CORNERTURN_TILE_UNROLL
        for (int c = 0; c < kAlong; ++c)
          context.template shared_store<kAcross>(data(context) + offset(row, column + (c ^ turn)), columns[c], active);
      }
    }
  }
  template <class Context, class D, class Operation>
  CORNERTURN_BOTH static void store_vectors(Context& context, D* to, long long pitch, Operation const& operation) {
    constexpr tile::warp_map kMap = scheme.vectors;
    constexpr int kVectors = at_once(kMap.steps, kVector * int(sizeof(T)), 64), kPiece = tile::detail::piece_of<D>(kVector);
    CORNERTURN_TILE_UNROLL
    for (int first = 0; first < kMap.steps; first += kVectors) {
      alignas(16) T held[kVectors][kVector];
      CORNERTURN_TILE_UNROLL
      for (int n = 0; n < kVectors; ++n) {
        int const row = kMap.fast(context.thread(), first + n), column = kMap.slow(context.thread(), first + n);
        context.template shared_load<kVector>(data(context) + offset(row, column), held[n], kMap.is_exact || column < Columns);
      }
      CORNERTURN_TILE_UNROLL
      for (int n = 0; n < kVectors; ++n) {
        int const row = kMap.fast(context.thread(), first + n), column = kMap.slow(context.thread(), first + n);
        bool const active = kMap.is_exact || column < Columns;
        alignas(16) D results[kVector];
        CORNERTURN_TILE_UNROLL
        for (int r = 0; r < kVector; ++r)
          results[r] = active ? D(tile::detail::apply(operation, held[n][r], row + r, column, 0)) : D{};
        CORNERTURN_TILE_UNROLL
        for (int r = 0; r < kVector; r += kPiece)
          context.template global_store<kPiece>(to + column * pitch + row + r, &results[r], active);
      }
    }
  }
};
}  // namespace cornerturn
#undef CORNERTURN_BOTH
#undef CORNERTURN_TILE_UNROLL
#undef CORNERTURN_TILE_UNROLL_8
