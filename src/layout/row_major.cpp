#include "layout/layout.hpp"

namespace cornerturn {

strided_layout row_major(std::vector<std::int64_t> const& extents) {
  strided_layout result;
  std::int64_t stride = 1;
  for (auto const extent : extents) stride *= extent;
  for (auto const extent : extents) {
    stride /= extent;
    result.shape.items.push_back({{extent, false}, {}});
    result.stride.items.push_back({{stride, false}, {}});
  }
  return result;
}

}  // namespace cornerturn
