#pragma once

/// Marks a function that tile programs call on the GPU and planning calls on the host. Planning does not use CUTE_HOST_DEVICE,
/// because CuTe's headers take long to compile.
#ifdef __CUDACC__
#define CORNERTURN_HOST_DEVICE __forceinline__ __host__ __device__
#else
#define CORNERTURN_HOST_DEVICE inline
#endif

/// Written before a loop that nvcc unrolls, or does not unroll. Host compilers do not know these pragmas.
#ifdef __CUDA_ARCH__
#define CORNERTURN_UNROLL _Pragma("unroll")
#define CORNERTURN_NO_UNROLL _Pragma("unroll 1")
#else
#define CORNERTURN_UNROLL
#define CORNERTURN_NO_UNROLL
#endif
