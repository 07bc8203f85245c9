// Permutes 2 MB of images on the threads of OpenMP: `g++ -std=c++20 -fopenmp openmp.cpp $(pkg-config --cflags --libs
// cornerturn)`. Without -fopenmp one thread does all parts.

#include <cornerturn/cornerturn.hpp>
#include <cstdint>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace {

int threads() {
#ifdef _OPENMP
  return omp_get_max_threads();
#else
  return 1;
#endif
}

void run_parts(int count, std::function<void(int)> const& part) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static, 1)
#endif
  for (int index = 0; index < count; ++index) part(index);
}

}  // namespace

int main() {
  constexpr std::int64_t height = 400, width = 400, channels = 3;
  std::vector<float> pixels(height * width * channels), planes(pixels.size());
  std::iota(pixels.begin(), pixels.end(), 0.0f);

  auto const plan = cornerturn::plan_permute({height, width, channels}, {2, 0, 1}, sizeof(float),
                                             {.processor = cornerturn::processor_kind::cpu});
  plan.run_on({.parallel_for = run_parts, .count = threads()}, pixels.data(), planes.data());

  std::cout << plan.describe() << '\n';
  return planes[height * width] == pixels[1] ? 0 : 1;
}
