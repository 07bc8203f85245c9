#include <cornerturn/exchange.cuh>
#include <cornerturn/packed.cuh>
#include <cornerturn/rows.cuh>
#include <cornerturn/tile.cuh>

static_assert(__cplusplus == 201703L, "C++17");
static_assert(cornerturn::packed_transpose<4, 128, 256>::threads == 128, "a word of 32 rows for each thread");
static_assert(cornerturn::row_tile<float, 64, 32, 128, cornerturn::tile::tma_128>::shared_bytes == 8192, "");

int main() {
  using tile = cornerturn::tile_transpose<float, 64, 64, 256>;
  tile::explain();
  unsigned square[] = {0x76543210, 0, 0, 0, 0, 0, 0, 0};
  cornerturn::tile::transpose_packed<4>(square);  // word i has nibble i of the first word
  return tile::store_wavefronts + tile::load_wavefronts - tile::ideal_wavefronts + (square[7] != 7);
}
