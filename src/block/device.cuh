#pragma once

#include <cstdint>
#include <cstring>

namespace cornerturn {

/// A block on the GPU: a few inlined functions, so that a tile program costs what hand-written CUDA costs.
class device_block {
 public:
  __device__ explicit device_block(char* shared) : shared_(shared) {}

  __device__ int thread() const { return threadIdx.x; }
  /// Grids beyond 2^31 - 1 blocks spill over into y.
  __device__ std::int64_t index() const { return blockIdx.x + std::int64_t(blockIdx.y) * gridDim.x; }
  __device__ void sync() { __syncthreads(); }
  template <class T, int Count>
  __device__ T* shared() const {
    return reinterpret_cast<T*>(shared_);
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

  template <int V, class T>
  __device__ void shared_load(T const* from, T* to) const {
    move<V>(from, to);
  }
  /// 16 bytes by PTX here too: left to nvcc, some of these become four stores of 4 bytes that conflict.
  template <int V, class T>
  __device__ void shared_store(T* to, T const* from) const {
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

 private:
  template <int Bytes>
  struct word_of;

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
