#pragma once

#include <cuda.h>
#include <cutlass/arch/barrier.h>

#include <cstdint>
#include <cstring>

#include <cute/arch/copy_sm90_tma.hpp>

#include "block/box.hpp"

namespace cornerturn {

/// A kernel's blocks may use this much shared memory without asking for more.
inline constexpr int kPlainSharedBytes = 48 << 10;

/// A block on the GPU: a few inlined functions, so that a tile program costs what hand-written CUDA costs.
class device_block {
 public:
  __device__ explicit device_block(char* shared) : shared_(shared) {}

  /// Marks a turn of a loop for a recording on the host; on the GPU the mark is empty.
  struct turn_mark {};
  __device__ turn_mark turn(int) const { return {}; }

  __device__ int thread() const { return threadIdx.x; }
  /// Grids beyond 2^31 - 1 blocks spill over into y.
  __device__ std::int64_t index() const { return blockIdx.x + std::int64_t(blockIdx.y) * gridDim.x; }
  __device__ void sync() { __syncthreads(); }
  template <class T, int Count>
  __device__ T* shared(int at = 0) const {
    return reinterpret_cast<T*>(shared_ + at);
  }

  /// The same address of shared memory as one number. Left to nvcc, what it was added up from is added to each offset from it.
  template <class T>
  __device__ T* added_up(T* at) const {
    auto number = unsigned(__cvta_generic_to_shared(at));
    asm("" : "+r"(number));
    return static_cast<T*>(__cvta_shared_to_generic(number));
  }

  template <int V, class T>
  __device__ void global_load(T const* from, T* to, bool active) const {
    if (active) move<V>(from, to);
  }

  /// 16 bytes go by PTX: nvcc 13.0 splits some assignments through a uint4 pointer into four 4-byte stores, which costs 20-40 %
  /// of the speed.
  template <int V, class T>
  __device__ void global_store(T* to, T const* from, bool active) const {
    if (!active) return;
    if constexpr (V * sizeof(T) == 16) {
      uint4 v;
      std::memcpy(&v, from, 16);
      asm volatile("st.global.v4.b32 [%0], {%1,%2,%3,%4};" ::"l"(__cvta_generic_to_global(to)), "r"(v.x), "r"(v.y), "r"(v.z),
                   "r"(v.w));
    } else {
      move<V>(from, to);
    }
  }

  /// A load for a predicated store has that predicate itself: nvcc would give it one in any case, and the recording then shows
  /// it.
  template <int V, class T>
  __device__ void shared_load(T const* from, T* to, bool active = true) const {
    if (active) move<V>(from, to);
  }
  /// 16 bytes by PTX here too: left to nvcc, some of these become four stores of 4 bytes that conflict.
  template <int V, class T>
  __device__ void shared_store(T* to, T const* from, bool active = true) const {
    if (!active) return;
    if constexpr (V * sizeof(T) == 16) {
      uint4 v;
      std::memcpy(&v, from, 16);
      asm volatile("st.shared.v4.b32 [%0], {%1,%2,%3,%4};" ::"r"(unsigned(__cvta_generic_to_shared(to))), "r"(v.x), "r"(v.y),
                   "r"(v.z), "r"(v.w)
                   : "memory");
    } else {
      move<V>(from, to);
    }
  }

  /// Sets 16 bytes of global memory on their way to shared memory; they are there after `fetched`. Past the L1 cache an H200
  /// reads a sector twice where its two halves do not stay together in 32 aligned bytes of shared memory. Through the L1 cache
  /// what is on its way needs room there.
  template <bool ThroughL1 = false>
  __device__ void fetch_unit(char const* from, char* to) const {
    auto const at = unsigned(__cvta_generic_to_shared(to));
    auto const global = __cvta_generic_to_global(from);
    if constexpr (ThroughL1)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(at), "l"(global) : "memory");
    else
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(global) : "memory");
  }
  /// Rows of whole 16-byte units can be fetched by one instruction each.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr bool kFetchesRows = false;
#else
  static constexpr bool kFetchesRows = true;
#endif
  /// What this thread has fetched is there; the block's other threads see it after `sync`.
  __device__ void fetched() const { asm volatile("cp.async.wait_all;" ::: "memory"); }

  template <int Count, class Piece>
  __device__ void shuffle_xor(Piece (&pieces)[Count], int mask) const {
    constexpr int kWords = (sizeof(Piece) + 3) / 4;
#pragma unroll
    for (int piece = 0; piece < Count; ++piece) {
      unsigned words[kWords] = {};
      std::memcpy(words, &pieces[piece], sizeof(Piece));
#pragma unroll
      for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(~0u, words[i], mask);
      std::memcpy(&pieces[piece], words, sizeof(Piece));
    }
  }

  using barrier = std::uint64_t;
  static_assert(sizeof(barrier) == kBarrierBytes);

  __device__ void prepare(barrier& each) const { cute::initialize_barrier(each); }
  __device__ void prepared() const { cutlass::arch::fence_barrier_init(); }
  __device__ void expect(barrier& arrived, int bytes) const { cute::set_barrier_transaction_bytes(arrived, bytes); }
  /// One thread of the block is the last to say so, when all have asked for their rows.
  __device__ void expect_no_more(barrier& arrived) const { cute::arrive_barrier(arrived); }
  __device__ void wait(barrier& arrived, int phase) const {
    cute::wait_barrier(arrived, phase);
    asm volatile("" ::: "memory");  // what has arrived is read after the wait, which CuTe's does not say
  }

  /// Sets a row of `bytes` on its way to shared memory; all three are multiples of 16.
  __device__ void fetch_row(char const* from, char* to, int bytes, barrier& arrived) const {
    auto const counted = unsigned(__cvta_generic_to_shared(&arrived));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(counted), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(counted)
                 : "memory");
  }
  template <class T>
  __device__ void box_load(CUtensorMap const& map, T* to, std::int64_t col, std::int64_t row, std::int64_t batch,
                           barrier& arrived) const {
    cute::SM90_TMA_LOAD_3D::copy(&map, &arrived, std::uint64_t(cute::TMA::CacheHintSm90::EVICT_NORMAL), to,
                                 std::int32_t(col) * kWordsOf<T>, std::int32_t(row), std::int32_t(batch));
  }
  template <class T>
  __device__ void box_store(CUtensorMap const& map, T const* from, std::int64_t col, std::int64_t row, std::int64_t batch) const {
    cute::SM90_TMA_STORE_3D::copy(&map, from, std::int32_t(col) * kWordsOf<T>, std::int32_t(row), std::int32_t(batch));
  }
  __device__ void publish() const {
    asm volatile("" ::: "memory");  // nor does CuTe's fence say that it follows the stores
    cute::tma_store_fence();
  }
  __device__ void boxes_sent() const { cute::tma_store_arrive(); }
  template <int Pending>
  __device__ void boxes_read() const {
    cute::tma_store_wait<Pending>();
  }

 private:
  template <int Bytes>
  struct word_of;
  /// TMA has no elements of 16 bytes: they count as two of 8.
  template <class T>
  static constexpr int kWordsOf = sizeof(T) == 16 ? 2 : 1;

  template <int V, class T>
  __device__ static void move(T const* from, T* to) {
    using word = typename word_of<V * sizeof(T)>::type;
    *reinterpret_cast<word*>(to) = *reinterpret_cast<word const*>(from);
  }

  char* shared_;
};

template <>
struct device_block::word_of<1> {
  using type = std::uint8_t;
};
template <>
struct device_block::word_of<2> {
  using type = std::uint16_t;
};
template <>
struct device_block::word_of<4> {
  using type = std::uint32_t;
};
template <>
struct device_block::word_of<8> {
  using type = uint2;
};
template <>
struct device_block::word_of<16> {
  using type = uint4;
};

}  // namespace cornerturn
