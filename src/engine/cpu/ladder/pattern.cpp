#include "engine/cpu/ladder/pattern.hpp"

#include <cstring>

#include "tile/elements.hpp"

namespace cornerturn::cpu {
namespace {

/// Element `index` of the pattern: the highest bits of a multiple of 2^64 over the golden ratio, so that neighbouring elements
/// and neighbouring rows differ.
template <class T>
T element(std::int64_t index) {
  auto const bits = (std::uint64_t(index) + 1) * 0x9e3779b97f4a7c15u;
  if constexpr (sizeof(T) == 16)
    return {bits, ~bits};
  else
    return T(bits >> (64 - 8 * sizeof(T)));
}

}  // namespace

void fill_pattern(void* memory, matrix const& shape) {
  visit_element(shape.element_size, [&]<class T>(T) {
    auto* const to = static_cast<T*>(memory);
    for (std::int64_t i = 0; i < shape.rows * shape.cols; ++i) to[i] = element<T>(i);
  });
}

std::int64_t count_wrong(void const* destination, matrix const& shape, bool transposed) {
  std::int64_t wrong = 0;
  visit_element(shape.element_size, [&]<class T>(T) {
    auto const rows = transposed ? shape.cols : shape.rows, cols = transposed ? shape.rows : shape.cols;
    auto const* each = static_cast<T const*>(destination);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c, ++each) {
        auto const expected = element<T>(transposed ? c * rows + r : r * cols + c);
        wrong += std::memcmp(each, &expected, sizeof(T)) != 0;
      }
  });
  return wrong;
}

}  // namespace cornerturn::cpu
