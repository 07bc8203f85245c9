// Transposes a batch of images with cornerturn: NHWC becomes NCHW.
#include <cornerturn/cornerturn.hpp>
#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  constexpr std::int64_t images = 2, pixels = 480 * 640, channels = 3;
  std::vector<float> nhwc(images * pixels * channels), nchw(nhwc.size());
  for (std::size_t i = 0; i < nhwc.size(); ++i) nhwc[i] = float(i);

  // A batch of matrices: each image has one row per pixel and one column per channel.
  cornerturn::transpose(nhwc.data(), nchw.data(), pixels, channels, sizeof(float), {.batch = images});

  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t p = 0; p < pixels; ++p)
      for (std::int64_t c = 0; c < channels; ++c)
        if (nchw[(n * channels + c) * pixels + p] != nhwc[(n * pixels + p) * channels + c]) return 1;

  // A kernel of the ladder by name; for host memory, the host executor runs the same source, slowly.
  float const matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  float transposed[3][2];
  for (auto const& name : cornerturn::rung_names()) {
    try {
      cornerturn::transpose(matrix, transposed, 2, 3, sizeof(float), {.kernel = name});
    } catch (cornerturn::error const& refused) {  // `copy` does not transpose, and TMA requires aligned rows
      std::cout << name << ": " << refused.what() << '\n';
      continue;
    }
    if (transposed[2][1] != 6 || transposed[0][1] != 4) return 1;
    std::cout << name << ": right\n";
  }

  // Invalid arguments are rejected before anything is written; the message names the argument and the allowed values.
  try {
    cornerturn::transpose(matrix, transposed, -2, 3, sizeof(float));
    return 1;
  } catch (cornerturn::error const& refused) {
    std::cout << refused.what() << '\n';
  }
}
