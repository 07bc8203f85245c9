#include <cornerturn/cornerturn.h>

int main(void) {
  float const source[] = {1, 2, 3, 4, 5, 6};
  float floats[6];
  double doubles[6];
  int64_t const shape[] = {2, 3}, axes[] = {1, 0};
  cornerturn_elements const kept = cornerturn_bytes(sizeof(float));
  cornerturn_operation const cast = CORNERTURN_OPERATION_INIT(CORNERTURN_F32, CORNERTURN_F64);
  if (cornerturn_permute(source, floats, 2, shape, axes, kept, NULL, NULL) != CORNERTURN_OK) return 1;
  if (cornerturn_permute(source, doubles, 2, shape, axes, cornerturn_changed_by(&cast), NULL, NULL) != CORNERTURN_OK) return 1;
  return floats[1] == 4 && doubles[1] == 4 ? 0 : 1;
}
