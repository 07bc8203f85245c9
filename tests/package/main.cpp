#include <cornerturn/cornerturn.hpp>

int main() {
  float const source[] = {1, 2, 3, 4, 5, 6};
  float destination[6];
  cornerturn::transpose(source, destination, 2, 3, sizeof(float));
  return destination[1] == 4 ? 0 : 1;
}
