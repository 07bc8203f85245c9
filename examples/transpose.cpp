// Transposes a batch of images with cornerturn: NHWC becomes NCHW.
#include <cornerturn/cornerturn.hpp>
#include <cstdint>
#include <iostream>
#include <vector>

int main() {
  constexpr std::int64_t images = 2, pixels = 480 * 640, channels = 3;
  std::vector<float> nhwc(images * pixels * channels), nchw(nhwc.size());
  for (std::size_t i = 0; i < nhwc.size(); ++i) nhwc[i] = float(i);

  // A batch of matrices: each image has a row per pixel and a column per channel.
  cornerturn::transpose(nhwc.data(), nchw.data(), pixels, channels, sizeof(float), {.batch = images});

  for (std::int64_t n = 0; n < images; ++n)
    for (std::int64_t p = 0; p < pixels; ++p)
      for (std::int64_t c = 0; c < channels; ++c)
        if (nchw[(n * channels + c) * pixels + p] != nhwc[(n * pixels + p) * channels + c]) return 1;

  // A kernel of the ladder may be asked for by name; on host memory its source runs as it is, slowly.
  float const matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
  float turned[3][2];
  for (auto const& name : cornerturn::rung_names()) {
    try {
      cornerturn::transpose(matrix, turned, 2, 3, sizeof(float), {.kernel = name});
    } catch (cornerturn::error const& refused) {  // a copy turns nothing, and TMA asks for aligned rows
      std::cout << name << ": " << refused.what() << '\n';
      continue;
    }
    if (turned[2][1] != 6 || turned[0][1] != 4) return 1;
    std::cout << name << ": right\n";
  }

  // What cannot be done is refused before anything is written; the message names the argument and what is allowed.
  try {
    cornerturn::transpose(matrix, turned, -2, 3, sizeof(float));
    return 1;
  } catch (cornerturn::error const& refused) {
    std::cout << refused.what() << '\n';
  }
}
