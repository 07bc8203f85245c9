#include <cornerturn/cornerturn.h>

int main(void) {
  float const source[] = {1, 2, 3, 4, 5, 6};
  float destination[6];
  int64_t const shape[] = {2, 3}, axes[] = {1, 0};
  if (cornerturn_permute(source, destination, 2, shape, axes, sizeof(float), NULL, NULL, NULL) != CORNERTURN_OK) return 1;
  return destination[1] == 4 ? 0 : 1;
}
