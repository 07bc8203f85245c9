// Permutes vectors and views with cornerturn, without naming element sizes.
#include <cornerturn/cornerturn.hpp>
#include <cstddef>
#include <iostream>
#include <vector>

int main() {
  std::size_t const rows = 480, cols = 640, channels = 3;
  std::vector<float> image(rows * cols * channels), planes(image.size());
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = float(i);

  // Contiguous ranges: their sizes are checked. Shapes and axes may be lists of any integers.
  std::vector<int> const axes{2, 0, 1};
  cornerturn::permute(image, planes, {rows, cols, channels}, axes);
  if (planes[1] != image[channels]) return 1;

  // Pointers: the element size is that of the type. This call uses at most two threads.
  cornerturn::transpose(image.data(), planes.data(), rows * cols, channels, {.threads = 2});
  if (planes[rows * cols] != image[1]) return 1;

  // A plan by axes whose source has rows with a gap: the columns of the left half of the image.
  cornerturn::plan_options const half{.processor = cornerturn::processor_kind::cpu,
                                      .source_strides = {cols * channels, channels, 1}};
  auto const plan = cornerturn::plan_permute<float>({rows, cols / 2, channels}, {2, 0, 1}, half);
  plan.run(image.data(), planes.data());
  if (planes[cols / 2] != image[cols * channels]) return 1;

  // The kind of an error tells its cause.
  try {
    cornerturn::permute(image, planes, {rows, cols, channels + 1}, {2, 0, 1});
    return 1;
  } catch (cornerturn::error const& refused) {
    if (refused.kind() != cornerturn::error_kind::argument) return 1;
    std::cout << refused.what() << '\n';
  }
}
