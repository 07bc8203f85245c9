#pragma once

// The PTX of wgmma for attention_values.cu. The library's tests have functions of a host in its place.
#ifdef __CUDACC__
#include <cornerturn/rows.cuh>

/// Makes the thread's stores to shared memory visible to wgmma, before the block waits for its threads.
inline __device__ void publish_to_wgmma() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

inline __device__ void begin_wgmma() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

/// Waits for all products.
inline __device__ void end_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/// Adds the products of 64 rows of `a` and 32 rows of `b` to the sums of four warps. The rows are in a mode of TMA, and have 32
/// elements of type e4m3 along k. Lane l of warp w has in sum i the product of row 16 w + l / 4 + 8 (i / 2 % 2) of `a` and row
/// 8 (i / 4) + 2 (l % 4) + i % 2 of `b`.
template <class Mode>
inline __device__ void wgmma_64x32x32(float (&sums)[16], void const* a, void const* b) {
  auto const of = [](void const* row) {
    return cornerturn::tile::matrix_descriptor<Mode>(unsigned(__cvta_generic_to_shared(row)));
  };
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, 1, 1, 1;"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3]), "+f"(sums[4]), "+f"(sums[5]), "+f"(sums[6]), "+f"(sums[7]),
        "+f"(sums[8]), "+f"(sums[9]), "+f"(sums[10]), "+f"(sums[11]), "+f"(sums[12]), "+f"(sums[13]), "+f"(sums[14]),
        "+f"(sums[15])
      : "l"(of(a)), "l"(of(b))
      : "memory");
}
#endif
