// The softmax of each row, of at most 128 elements, is stored as a column: out[column][row] = softmax(in[row])[column].
#include <cornerturn/tile.cuh>

/// Blocks of 256 threads, one for each 64 rows.
__global__ void __launch_bounds__(256) softmax(float const* in, float* out, int rows, int columns) {
  using tile = cornerturn::tile_transpose<float, 64, 128, 256>;
  alignas(16) __shared__ char memory[tile::shared_bytes];
  __shared__ float maxima[4][64], sums[4][64];
  cornerturn::tile::thread_block block(memory);
  int const first = int(blockIdx.x) * 64, row = block.thread() % 64, part = block.thread() / 64;
  cornerturn::tile::bounds const bounds{rows - first, columns};
  tile::load(block, in + first * (long long)columns, columns, bounds);
  block.sync();

  // Four threads of each row have every fourth element.
  float most = -3.40282347e38F, sum = 0;  // the least number, which masks may have
  for (int column = part; column < columns; column += 4) {
    float const x = tile::data(block)[tile::offset(row, column)];
    sum = x > most ? sum * expf(most - x) + 1 : sum + expf(x - most);
    most = x > most ? x : most;
  }
  maxima[part][row] = most, sums[part][row] = sum;
  block.sync();
  if (part == 0) {
    for (int i = 1; i < 4; ++i) most = maxima[i][row] > most ? maxima[i][row] : most;
    sum = 0;
    for (int i = 0; i < 4; ++i) sum += sums[i][row] * expf(maxima[i][row] - most);
    maxima[0][row] = most, sums[0][row] = sum;
  }
  tile::store(block, out + first, rows, bounds,
              [&](float x, int in_tile, int) { return expf(x - maxima[0][in_tile]) / sums[0][in_tile]; });
}
