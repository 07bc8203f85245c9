// The second product of attention: out = P V. P and V have elements of type e4m3, whose operands wgmma reads along k only, so V
// is transposed on its way into shared memory.
#include <cornerturn/rows.cuh>

#include "wgmma.cuh"

/// Blocks of 128 threads, one for each 64 rows of P. V has 128 columns.
__global__ void __launch_bounds__(128)
    attention_values(unsigned char const* p, unsigned char const* v, float* out, int queries, int keys) {
  using mode = cornerturn::tile::tma_128;
  using p_tile = cornerturn::row_tile<unsigned char, 64, 128, 128, mode>;
  using v_tile = cornerturn::tile_transpose<unsigned char, 128, 128, 128, mode>;
  alignas(1024) __shared__ char p_memory[p_tile::shared_bytes];
  alignas(1024) __shared__ char v_memory[v_tile::shared_bytes];
  cornerturn::tile::thread_block p_block(p_memory), v_block(v_memory);
  int const query = int(blockIdx.x) * 64;

  float sums[4][16] = {};  // of 32 columns of V each
  for (int key = 0; key < keys; key += 128) {
    p_tile::load(p_block, p + query * (long long)keys + key, keys, {queries - query, keys - key});
    v_tile::load(v_block, v + key * 128LL, 128, {keys - key, 128});
    publish_to_wgmma();
    v_block.sync();
    begin_wgmma();
    for (int k = 0; k < 128; k += 32)
      for (int n = 0; n < 4; ++n)
        wgmma_64x32x32<mode>(sums[n], p_tile::data(p_block) + k, v_tile::data(v_block) + v_tile::offset(0, 32 * n) + k);
    end_wgmma();
    v_block.sync();
  }

  int const lane = v_block.thread() % 32, warp = v_block.thread() / 32;
  for (int n = 0; n < 4; ++n)
    for (int i = 0; i < 16; ++i) {
      int const row = query + 16 * warp + lane / 4 + i / 2 % 2 * 8, column = 32 * n + i / 4 * 8 + lane % 4 * 2 + i % 2;
      if (row < queries) out[row * 128LL + column] = sums[n][i];
    }
}
