#include <cornerturn/cornerturn.hpp>
#include <cstring>

int main() {
  float const source[] = {1, 2, 3, 4, 5, 6};
  float destination[6], again[6];
  cornerturn::transpose(source, destination, 2, 3, sizeof(float));
  cornerturn::plan_permute({2, 3}, {1, 0}, sizeof(float), {.processor = cornerturn::processor_kind::cpu}).run(source, again);
  try {
    cornerturn::permute(source, destination, {2, 3}, {0, 0}, sizeof(float));
  } catch (cornerturn::error const&) {
    return destination[1] == 4 && std::memcmp(destination, again, sizeof(again)) == 0 ? 0 : 1;
  }
  return 1;
}
