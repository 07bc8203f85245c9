#include <cornerturn/tile.cuh>

static_assert(__cplusplus == 201703L, "C++17");

int main() {
  using tile = cornerturn::tile_transpose<float, 64, 64, 256>;
  tile::explain();
  return tile::store_wavefronts + tile::load_wavefronts - tile::ideal_wavefronts;
}
