// Permutes the modes of arrays with cornerturn, by a one-shot call and by a plan.
#include <cornerturn/cornerturn.hpp>
#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  constexpr std::int64_t images = 2, height = 48, width = 64, channels = 3;
  std::vector<float> nhwc(images * height * width * channels), nchw(nhwc.size());

  for (std::size_t i = 0; i < nhwc.size(); ++i) nhwc[i] = float(i);

  // NHWC to NCHW, with NumPy's meaning of axes.
  cornerturn::permute(nhwc, nchw, {images, height, width, channels}, {0, 3, 1, 2});

  // A plan is made once, and may then run in any thread and on any stream.
  cornerturn::plan_options const options{.processor = cornerturn::processor_kind::cpu};
  auto const plan = cornerturn::plan_permute({images, height, width, channels}, {0, 3, 1, 2}, sizeof(float), options);
  std::vector<float> again(nhwc.size());
  plan.run(nhwc.data(), again.data());
  std::cout << plan.describe() << '\n';

  if (again != nchw) return 1;

  std::vector<float> mirrored(nhwc.size());
  // Any two layouts of one shape: here the rows are read backwards. A pointer is the address of element (0, ..., 0).
  cornerturn::strided_copy(nchw.data() + width - 1, {height * width, width, -1}, mirrored.data(), {height * width, width, 1},
                           {images * channels, height, width}, sizeof(float));
  for (std::int64_t i = 0; i < width; ++i)
    if (mirrored[std::size_t(i)] != nhwc[std::size_t((width - 1 - i) * channels)]) return 1;
}
