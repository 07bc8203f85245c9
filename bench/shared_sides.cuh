// Instructions that move blocks of shared memory, under the names that `cornerturn explain --code` reads, and TMA's boxes.

#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

#include "expect.hpp"

inline __device__ unsigned shared_address(void const* at) { return unsigned(__cvta_generic_to_shared(at)); }

inline __device__ unsigned ldmatrix_x1(void const* row) {
  unsigned a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(a) : "r"(shared_address(row)) : "memory");
  return a;
}
inline __device__ unsigned ldmatrix_x2(void const* row) {
  unsigned a, b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(shared_address(row)) : "memory");
  return a ^ b;
}
inline __device__ unsigned ldmatrix_x4(void const* row) {
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(shared_address(row))
               : "memory");
  return a ^ b ^ c ^ d;
}
inline __device__ unsigned ldmatrix_x4_trans(void const* row) {
  unsigned a, b, c, d;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(shared_address(row))
               : "memory");
  return a ^ b ^ c ^ d;
}
inline __device__ unsigned stmatrix_x4(void* row) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(shared_address(row)), "r"(0) : "memory");
  return 0;
}
/// `bytes` is a constant: 4, 8 or 16. Copies of 16 bytes bypass the L1 cache.
__forceinline__ __device__ unsigned cp_async(void* to, void const* from, int bytes) {
  auto const global = __cvta_generic_to_global(from);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(to)), "l"(global) : "memory");
  else if (bytes == 8)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(to)), "l"(global) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(to)), "l"(global) : "memory");
  return 0;
}

/// One thread loads or stores a box of `Bytes` bytes.
template <int Bytes, bool Store>
__global__ void tma_box(__grid_constant__ CUtensorMap const map) {
  __shared__ alignas(1024) char box[Bytes];
  __shared__ std::uint64_t arrived;
  if (threadIdx.x != 0) return;
  if constexpr (Store) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %1}], [%2];" ::"l"(&map), "r"(0),
                 "r"(shared_address(box))
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  } else {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(shared_address(&arrived)) : "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(&arrived)), "r"(Bytes) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" ::"r"(
                     shared_address(box)),
                 "l"(&map), "r"(0), "r"(shared_address(&arrived))
                 : "memory");
    asm volatile("{\n.reg .pred done;\nwait: mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n@!done bra wait;\n}" ::"r"(
                     shared_address(&arrived))
                 : "memory");
  }
}

/// Launches a box of Rows x Width elements of 2 bytes in a matrix of rows of `pitch` bytes, with a swizzle.
template <int Rows, int Width, bool Store>
void launch_box(void* memory, std::uint64_t pitch, CUtensorMapSwizzle swizzle) {
  static auto const encode = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    expect(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result));
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  CUtensorMap map;
  cuuint64_t const extents[2] = {pitch / 2, 256}, strides[1] = {pitch};
  cuuint32_t const box[2] = {Width, Rows}, steps[2] = {1, 1};
  auto const status = encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, memory, extents, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS) expect(cudaErrorInvalidValue);
  tma_box<Rows * Width * 2, Store><<<1, 32>>>(map);
}
