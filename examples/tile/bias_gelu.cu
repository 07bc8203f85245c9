// A bias of each column, GELU, and a transpose: out[column][row] = gelu(in[row][column] + bias[column]).
#include <cornerturn/tile.cuh>

__device__ float gelu(float x) { return 0.5F * x * (1 + erff(x * 0.70710678F)); }

/// Blocks of 256 threads, one for each tile of 64 x 64. Elements change on the way into shared memory, which hides more of the
/// arithmetic than on the way out.
__global__ void __launch_bounds__(256) bias_gelu(float const* in, float const* bias, float* out, int rows, int columns) {
  using tile = cornerturn::tile_transpose<float, 64, 64, 256>;
  alignas(16) __shared__ char memory[tile::shared_bytes];
  cornerturn::tile::thread_block block(memory);
  int const row = int(blockIdx.x) * 64, column = int(blockIdx.y) * 64;
  cornerturn::tile::bounds const bounds{rows - row, columns - column};
  tile::load(block, in + row * (long long)columns + column, columns, bounds,
             [=](float x, int, int in_tile) { return gelu(x + bias[column + in_tile]); });
  tile::store(block, out + column * (long long)rows + row, rows, bounds);
}
