// Permutes an image on the library's threads, on those of OpenMP if this is compiled with -fopenmp, and on those of TBB if
// WITH_TBB is defined.

#include <cornerturn/cornerturn.hpp>
#include <cstdint>
#include <functional>
#include <iostream>
#include <numeric>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif
#ifdef WITH_TBB
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>
#endif

int main() {
  constexpr std::int64_t height = 800, width = 800, channels = 3;
  std::vector<float> pixels(height * width * channels), planes(pixels.size());
  std::iota(pixels.begin(), pixels.end(), 0.0f);
  auto const plan = cornerturn::plan_permute({height, width, channels}, {2, 0, 1}, sizeof(float),
                                             {.processor = cornerturn::processor_kind::cpu});
  std::cout << plan.describe() << '\n';

  plan.run(pixels.data(), planes.data());

#ifdef _OPENMP
  auto const run_parts = [](int count, std::function<void(int)> const& part) {
#pragma omp parallel for schedule(static, 1)
    for (int index = 0; index < count; ++index) part(index);
  };
  plan.run_on({.parallel_for = run_parts, .count = omp_get_max_threads()}, pixels.data(), planes.data());
#endif

#ifdef WITH_TBB
  auto const run_tasks = [](int count, std::function<void(int)> const& part) { tbb::parallel_for(0, count, part); };
  plan.run_on({.parallel_for = run_tasks, .count = tbb::this_task_arena::max_concurrency()}, pixels.data(), planes.data());
#endif

  return planes[height * width] == pixels[1] ? 0 : 1;
}
