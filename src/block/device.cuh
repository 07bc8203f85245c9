#pragma once

#include <cuda.h>
#include <cutlass/arch/barrier.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include <cute/arch/copy_sm90_tma.hpp>

#include "block/grid.hpp"
#include "block/tensor_map.hpp"

namespace cornerturn {

/// Bytes of dynamic shared memory that a kernel may use without cudaFuncSetAttribute.
inline constexpr int kPlainSharedBytes = 48 << 10;

/// A block on the GPU. All functions are inlined, so a tile program costs what hand-written CUDA costs.
class device_block {
 public:
  __device__ explicit device_block(char* shared) : shared_(shared) {}

  /// Marks an iteration of a loop for a recording on the host. It does nothing on the GPU.
  struct iteration_mark {};
  __device__ iteration_mark iteration(int) const { return {}; }

  __device__ int thread() const { return threadIdx.x; }
  /// The block's index in the grid. A grid of more than 2^31 - 1 blocks has rows in y.
  __device__ std::int64_t index() const { return blockIdx.x + std::int64_t(blockIdx.y) * gridDim.x; }
  /// The block's place, if the launch has a grid of three indices.
  __device__ grid_index index_in(grid_shape const&) const { return {int(blockIdx.x), int(blockIdx.y), int(blockIdx.z)}; }
  __device__ void sync() { __syncthreads(); }
  /// Waits until the previous launch on the stream is complete, if launches may overlap.
  static __device__ void wait_for_previous_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
  }
  static __device__ void let_next_launch_start() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
  }
  /// Waits for all threads of the cluster's blocks, and so for their loads. Stores of other blocks to global memory are not
  /// visible afterwards: arrival is relaxed, because a release would wait for all stores of the SM, also those of other clusters.
  /// A cluster of one block needs no GPU with clusters.
  __device__ void cluster_sync(int blocks) {
    __syncthreads();
    if (blocks == 1) return;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
#else
    __trap();
#endif
  }
  /// Sets a flag in global memory, which is 0 before the launch. The flag says that values have been read, so no fence is needed.
  /// A fence would wait for all stores of the SM, also those of other blocks.
  __device__ void set_flag(int* flag) const { asm volatile("st.relaxed.gpu.global.b32 [%0], 1;" ::"l"(flag) : "memory"); }
  /// Waits until a block that started earlier has set a flag. Later stores of the thread come after the wait.
  __device__ void wait_flag(int const* flag) const {
    int value;
    do asm volatile("ld.relaxed.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value == 0);
  }
  /// Sets a flag in global memory, which is 0 before the launch, after all stores of the block's threads before `sync`.
  __device__ void set_flag_release(int* flag) const { asm volatile("st.release.gpu.global.b32 [%0], 1;" ::"l"(flag) : "memory"); }
  /// Waits until a block that started earlier has set a flag by `set_flag_release`. After `sync` all threads of this block see
  /// the other block's stores.
  __device__ void wait_flag_acquire(int const* flag) const {
    int value;
    do asm volatile("ld.acquire.gpu.global.b32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    while (value == 0);
  }
  /// Raises an integer in global memory to `value`.
  __device__ void atomic_max(int* most, int value) const { atomicMax(most, value); }
  template <class T, int Count>
  __device__ T* shared(int offset = 0) const {
    return reinterpret_cast<T*>(shared_ + offset);
  }

  /// Hides from nvcc how an address in shared memory was computed. Otherwise nvcc repeats the sum for every offset from it.
  template <class T>
  __device__ T* opaque_address(T* pointer) const {
    auto address = unsigned(__cvta_generic_to_shared(pointer));
    asm("" : "+r"(address));
    return static_cast<T*>(__cvta_shared_to_generic(address));
  }

  template <int V, class T>
  __device__ void global_load(T const* from, T* to, bool active) const {
    if (active) move<V>(from, to);
  }

  /// Stores 16 bytes by PTX, because nvcc 13.0 splits some assignments through a uint4 pointer into four 4-byte stores. This
  /// costs 20-40 % of the speed.
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

  /// A load for a predicated store has the same predicate. nvcc would add the predicate in any case, and so a recording shows it.
  template <int V, class T>
  __device__ void shared_load(T const* from, T* to, bool active = true) const {
    if (active) move<V>(from, to);
  }
  /// Stores 16 bytes by PTX, because nvcc splits some of these stores into four 4-byte stores that have bank conflicts.
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

  /// Starts a copy of 16 bytes from global to shared memory, which ends in `cp_async_wait_all`. Without L1, an H200 reads a
  /// sector twice if its halves do not share 32 aligned bytes of shared memory. With L1, the bytes in flight need room in the L1
  /// cache.
  template <bool ThroughL1 = false>
  __device__ void cp_async(char const* from, char* to) const {
    auto const shared = unsigned(__cvta_generic_to_shared(to));
    auto const global = __cvta_generic_to_global(from);
    if constexpr (ThroughL1)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
    else
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(global) : "memory");
  }
  /// Waits for this thread's copies. The block's other threads see them after `sync`.
  __device__ void cp_async_wait_all() const { asm volatile("cp.async.wait_all;" ::: "memory"); }

  /// True if the GPU has TMA: cp.async.bulk, and tensor maps.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
  static constexpr bool kHasTma = false;
#else
  static constexpr bool kHasTma = true;
#endif

  /// Exchanges values with the lane whose index differs in `mask`.
  template <int Count, class Value>
  __device__ void shfl_xor(Value (&values)[Count], int mask) const {
    constexpr int kWords = (sizeof(Value) + 3) / 4;
#pragma unroll
    for (auto& value : values) {
      unsigned words[kWords] = {};
      std::memcpy(words, &value, sizeof(Value));
#pragma unroll
      for (int i = 0; i < kWords; ++i) words[i] = __shfl_xor_sync(~0u, words[i], mask);
      std::memcpy(&value, words, sizeof(Value));
    }
  }

  using mbarrier = std::uint64_t;
  static_assert(sizeof(mbarrier) == kBarrierBytes);

  /// Every mbarrier expects one arrival a phase.
  __device__ void mbarrier_init(mbarrier& arrived) const { cute::initialize_barrier(arrived); }
  __device__ void fence_barrier_init() const { cutlass::arch::fence_barrier_init(); }
  __device__ void mbarrier_arrive_expect_tx(mbarrier& arrived, int bytes) const {
    cute::set_barrier_transaction_bytes(arrived, bytes);
  }
  /// One thread arrives, after all threads of the block have requested their bulk copies.
  __device__ void mbarrier_arrive(mbarrier& arrived) const { cute::arrive_barrier(arrived); }
  __device__ void mbarrier_wait(mbarrier& arrived, int phase) const {
    cute::wait_barrier(arrived, phase);
    asm volatile("" ::: "memory");  // CuTe's wait does not keep the compiler from moving later loads before it
  }

  /// Starts a copy of `bytes` bytes from global to shared memory. Both addresses and `bytes` are multiples of 16.
  __device__ void bulk_copy(char const* from, char* to, int bytes, mbarrier& arrived) const {
    auto const barrier = unsigned(__cvta_generic_to_shared(&arrived));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     unsigned(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
                 : "memory");
  }
  template <class T>
  __device__ void tma_load(CUtensorMap const& map, T* to, std::int64_t col, std::int64_t row, std::int64_t batch,
                           mbarrier& arrived) const {
    cute::SM90_TMA_LOAD_3D::copy(&map, &arrived, std::uint64_t(cute::TMA::CacheHintSm90::EVICT_NORMAL), to,
                                 std::int32_t(col) * kWordsOf<T>, std::int32_t(row), std::int32_t(batch));
  }
  template <class T>
  __device__ void tma_store(CUtensorMap const& map, T const* from, std::int64_t col, std::int64_t row, std::int64_t batch) const {
    cute::SM90_TMA_STORE_3D::copy(&map, from, std::int32_t(col) * kWordsOf<T>, std::int32_t(row), std::int32_t(batch));
  }
  __device__ void fence_proxy_async() const {
    asm volatile("" ::: "memory");  // CuTe's fence does not keep the compiler from moving earlier stores after it
    cute::tma_store_fence();
  }
  __device__ void tma_commit() const { cute::tma_store_arrive(); }
  template <int Pending>
  __device__ void tma_wait_read() const {
    cute::tma_store_wait<Pending>();
  }

 private:
  /// TMA has no 16-byte elements, so each counts as two 8-byte elements.
  template <class T>
  static constexpr int kWordsOf = sizeof(T) == 16 ? 2 : 1;

  template <int V, class T>
  __device__ static void move(T const* from, T* to) {
    constexpr int kBytes = V * sizeof(T);
    using word =
        std::conditional_t<kBytes == 16, uint4,
                           std::conditional_t<kBytes == 8, uint2,
                                              std::conditional_t<kBytes == 4, std::uint32_t,
                                                                 std::conditional_t<kBytes == 2, std::uint16_t, std::uint8_t>>>>;
    static_assert(sizeof(word) == kBytes);
    *reinterpret_cast<word*>(to) = *reinterpret_cast<word const*>(from);
  }

  char* shared_;
};

}  // namespace cornerturn
