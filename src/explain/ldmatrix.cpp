#include "explain/ldmatrix.hpp"

#include <fmt/format.h>

#include "base/refuse.hpp"
#include "block/sizes.hpp"

namespace cornerturn {

pattern ldmatrix_rows(int matrices, std::vector<std::int64_t> const& extents, int element_size) {
  constexpr int kMatrixRows = 8;
  constexpr std::int64_t kMostElements = 1 << 18;
  if (matrices != 1 && matrices != 2 && matrices != 4) refuse("ldmatrix", matrices, "1, 2 or 4 matrices");
  int const vector = kUnitBytes / element_size, down = matrices == 1 ? 1 : 2, across = matrices / down;
  std::int64_t const rows = extents.front();
  std::int64_t cols = 1;
  for (std::size_t k = 1; k < extents.size(); ++k) cols *= extents[k];
  if (rows * cols > kMostElements)
    refuse({"layout", "the {}'s size"}, rows * cols, fmt::format("at most {} elements", kMostElements));
  if (rows % (kMatrixRows * down) || cols % (vector * across))
    refuse(
        "layout", fmt::format("{} x {} elements of {} bytes", rows, cols, element_size),
        fmt::format("a multiple of the {} x {} elements that ldmatrix.x{} reads", kMatrixRows * down, vector * across, matrices));

  pattern result{.vectors = {}, .vector = vector, .element_size = element_size, .store = false, .matrix_rows = true};
  int occurrence = 0;
  for (std::int64_t col = 0; col < cols; col += vector * across)
    for (std::int64_t row = 0; row < rows; row += kMatrixRows * down, ++occurrence)
      for (int lane = 0; lane < kWarp; ++lane) {
        tiled_vector access{lane, occurrence, {}};
        int const matrix = lane / kMatrixRows;
        if (matrix < matrices) {
          auto const r = row + matrix % down * kMatrixRows + lane % kMatrixRows, c = col + matrix / down * vector;
          for (int v = 0; v < vector; ++v) access.elements.push_back((c + v) * rows + r);
        }
        result.vectors.push_back(std::move(access));
      }
  return result;
}

}  // namespace cornerturn
