// A matrix is transposed: out[column][row] = in[row][column].
#include <cornerturn/tile.cuh>

/// Blocks of 256 threads, one for each tile of 64 x 64. Blocks in x are along the rows of the destination.
__global__ void __launch_bounds__(256) transpose(float const* in, float* out, int rows, int columns) {
  using tile = cornerturn::tile_transpose<float, 64, 64, 256>;
  alignas(16) __shared__ char memory[tile::shared_bytes];
  cornerturn::tile::thread_block block(memory);
  int const row = int(blockIdx.x) * 64, column = int(blockIdx.y) * 64;
  cornerturn::tile::bounds const bounds{rows - row, columns - column};
  tile::load(block, in + row * (long long)columns + column, columns, bounds);
  tile::store(block, out + column * (long long)rows + row, rows, bounds);
}
