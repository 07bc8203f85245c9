#pragma once

// The rungs of docs/ladder.md in plain CUDA, for floats. `rows` and `cols` are those of the source and multiples of 128, for
// `copy` of 512. tests/support/plain_ladder.hpp has each kernel's threads and its part of the matrix, and tests run it on the
// host and on a GPU. Loops have a constant number of steps, so that the compiler unrolls them and loads before it stores.

namespace plain {

/// 128 threads copy 512 floats of a row.
__global__ void copy(float const* in, float* out, int, int cols) {
  int const at = (blockIdx.y * cols + blockIdx.x * 512) / 4 + threadIdx.x;
  reinterpret_cast<float4*>(out)[at] = reinterpret_cast<float4 const*>(in)[at];
}

/// 32 x 32 threads: neighbours in x are neighbours in a source row.
__global__ void naive_read(float const* in, float* out, int rows, int cols) {
  int const m = blockIdx.y * 32 + threadIdx.y, n = blockIdx.x * 32 + threadIdx.x;
  out[n * rows + m] = in[m * cols + n];
}

/// 32 x 4 threads: neighbours in x are neighbours in a destination row.
__global__ void naive_write(float const* in, float* out, int rows, int cols) {
  int const m = blockIdx.y * 32 + threadIdx.x, n = blockIdx.x * 4 + threadIdx.y;
  out[n * rows + m] = in[m * cols + n];
}

/// 32 x 8 threads load a tile along source rows, and store it along destination rows.
__global__ void smem_conflict_read(float const* in, float* out, int rows, int cols) {
  __shared__ float tile[64][64];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < y + 64; i += 8)
    for (int j = x; j < x + 64; j += 32) tile[i][j] = in[(m + i) * cols + n + j];
  __syncthreads();
  for (int j = y; j < y + 64; j += 8)
    for (int i = x; i < x + 64; i += 32) out[(n + j) * rows + m + i] = tile[i][j];
}

/// The tile is transposed when it is written.
__global__ void smem_conflict_write(float const* in, float* out, int rows, int cols) {
  __shared__ float tile[64][64];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < y + 64; i += 8)
    for (int j = x; j < x + 64; j += 32) tile[j][i] = in[(m + i) * cols + n + j];
  __syncthreads();
  for (int j = y; j < y + 64; j += 8)
    for (int i = x; i < x + 64; i += 32) out[(n + j) * rows + m + i] = tile[j][i];
}

/// A row of the tile is one bank longer.
__global__ void smem_padded(float const* in, float* out, int rows, int cols) {
  __shared__ float tile[64][65];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < y + 64; i += 8)
    for (int j = x; j < x + 64; j += 32) tile[i][j] = in[(m + i) * cols + n + j];
  __syncthreads();
  for (int j = y; j < y + 64; j += 8)
    for (int i = x; i < x + 64; i += 32) out[(n + j) * rows + m + i] = tile[i][j];
}

/// The row is XORed to the column.
__global__ void smem_swizzled(float const* in, float* out, int rows, int cols) {
  __shared__ float tile[64][64];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, x = threadIdx.x, y = threadIdx.y;
  for (int i = y; i < y + 64; i += 8)
    for (int j = x; j < x + 64; j += 32) tile[i][j ^ i % 32] = in[(m + i) * cols + n + j];
  __syncthreads();
  for (int j = y; j < y + 64; j += 8)
    for (int i = x; i < x + 64; i += 32) out[(n + j) * rows + m + i] = tile[i][j ^ i % 32];
}

/// 256 threads. To load, eight have 128 bytes of a row, and a warp has four rows.
__global__ void vec_conflict_read(float const* in, float* out, int rows, int cols) {
  alignas(16) __shared__ float tile[64][64];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, t = threadIdx.x, y = t / 8, x = t % 8 * 4, warp = t / 32, lane = t % 32;
  for (int i = y; i < y + 64; i += 32)
    for (int j = x; j < x + 64; j += 32)
      *reinterpret_cast<float4*>(&tile[i][j]) = *reinterpret_cast<float4 const*>(&in[(m + i) * cols + n + j]);
  __syncthreads();
  for (int j = warp; j < warp + 64; j += 8)
    for (int i = lane; i < lane + 64; i += 32) out[(n + j) * rows + m + i] = tile[i][j];
}

/// A padded row begins within a vector, so each vector is stored as four floats.
__global__ void vec_padded(float const* in, float* out, int rows, int cols) {
  __shared__ float tile[64][65];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, t = threadIdx.x, y = t / 8, x = t % 8 * 4, warp = t / 32, lane = t % 32;
  for (int i = y; i < y + 64; i += 32)
    for (int j = x; j < x + 64; j += 32) {
      float4 const v = *reinterpret_cast<float4 const*>(&in[(m + i) * cols + n + j]);
      tile[i][j] = v.x, tile[i][j + 1] = v.y, tile[i][j + 2] = v.z, tile[i][j + 3] = v.w;
    }
  __syncthreads();
  for (int j = warp; j < warp + 64; j += 8)
    for (int i = lane; i < lane + 64; i += 32) out[(n + j) * rows + m + i] = tile[i][j];
}

/// The swizzle moves single floats.
__global__ void vec_swizzled(float const* in, float* out, int rows, int cols) {
  __shared__ float tile[64][64];
  int const m = blockIdx.y * 64, n = blockIdx.x * 64, t = threadIdx.x, y = t / 8, x = t % 8 * 4, warp = t / 32, lane = t % 32;
  for (int i = y; i < y + 64; i += 32)
    for (int j = x; j < x + 64; j += 32) {
      float4 const v = *reinterpret_cast<float4 const*>(&in[(m + i) * cols + n + j]);
      float* const row = tile[i];
      int const s = i % 32;
      row[j ^ s] = v.x, row[(j + 1) ^ s] = v.y, row[(j + 2) ^ s] = v.z, row[(j + 3) ^ s] = v.w;
    }
  __syncthreads();
  for (int j = warp; j < warp + 64; j += 8)
    for (int i = lane; i < lane + 64; i += 32) out[(n + j) * rows + m + i] = tile[i][j ^ i % 32];
}

/// 256 threads, each with a square of 4 x 4. The tile has destination rows of 16 vectors; blocks in x are along a destination
/// row.
__global__ void vec_both(float const* in, float* out, int rows, int cols) {
  __shared__ float4 tile[64][16];
  int const m = blockIdx.x * 64, n = blockIdx.y * 64, x = threadIdx.x % 16, y = threadIdx.x / 16;
  float4 a[4];
  for (int r = 0; r < 4; ++r) a[r] = *reinterpret_cast<float4 const*>(&in[(m + 4 * y + r) * cols + n + 4 * x]);
  tile[4 * x + 0][y ^ x % 8] = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
  tile[4 * x + 1][y ^ x % 8] = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
  tile[4 * x + 2][y ^ x % 8] = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
  tile[4 * x + 3][y ^ x % 8] = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
  __syncthreads();
  for (int j = y; j < y + 64; j += 16) *reinterpret_cast<float4*>(&out[(n + j) * rows + m + 4 * x]) = tile[j][x ^ j / 4 % 8];
}

/// 512 threads, each with a square of 4 x 4 of a tile of 128 x 64. The squares of a warp are 4 in a column and 8 in a row.
__global__ void registers(float const* in, float* out, int rows, int cols) {
  int const t = threadIdx.x;
  int const m = blockIdx.x * 128 + t / 32 % 8 * 16 + t % 4 * 4, n = blockIdx.y * 64 + t / 256 * 32 + t / 4 % 8 * 4;
  float4 a[4];
  for (int r = 0; r < 4; ++r) a[r] = *reinterpret_cast<float4 const*>(&in[(m + r) * cols + n]);
  *reinterpret_cast<float4*>(&out[(n + 0) * rows + m]) = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
  *reinterpret_cast<float4*>(&out[(n + 1) * rows + m]) = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
  *reinterpret_cast<float4*>(&out[(n + 2) * rows + m]) = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
  *reinterpret_cast<float4*>(&out[(n + 3) * rows + m]) = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
}

/// 256 threads. 16 lanes have a square of 16 x 16: first each has a column, in the end a row.
__global__ void register_shuffle(float const* in, float* out, int rows, int cols) {
  int const lane = threadIdx.x % 16;
  int const m = blockIdx.x * 64 + threadIdx.x / 16 % 4 * 16, n = blockIdx.y * 64 + threadIdx.x / 64 * 16;
  float a[16];
  for (int r = 0; r < 16; ++r) a[r] = in[(m + r) * cols + n + lane];
  for (int s = 8; s > 0; s /= 2)
    for (int r = 0; r < 16; ++r) {
      if (r & s) continue;
      float const got = __shfl_xor_sync(~0u, lane & s ? a[r] : a[r + s], s);
      (lane & s ? a[r] : a[r + s]) = got;
    }
  for (int c = 0; c < 16; ++c) out[(n + c) * rows + m + lane] = a[c];
}

}  // namespace plain
