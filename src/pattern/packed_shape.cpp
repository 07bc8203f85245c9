#include "base/refuse.hpp"
#include "cornerturn/rearrange.hpp"

namespace cornerturn {
namespace {

/// The elements of `bits` bits in a byte.
int per_byte(int bits) {
  if (bits != 8 && bits != 4 && bits != 2 && bits != 1) refuse("bits", bits, "8, 4, 2 or 1");
  return 8 / bits;
}

}  // namespace

std::vector<std::int64_t> shape_in_elements(index_list bytes, int bits) {
  std::vector<std::int64_t> shape(bytes.begin(), bytes.end());
  auto const count = per_byte(bits);
  if (count == 1) return shape;
  if (shape.empty()) refuse("rank", 0, "1 or more for packed elements");
  if (__builtin_mul_overflow(shape.back(), count, &shape.back()))
    refuse("the last extent in elements", "beyond 64 bits", "within 64 bits");
  return shape;
}

std::vector<std::int64_t> shape_in_bytes(index_list elements, int bits) {
  std::vector<std::int64_t> shape(elements.begin(), elements.end());
  auto const count = per_byte(bits);
  if (count == 1) return shape;
  if (shape.empty()) refuse("the rank of the result", 0, "1 or more for packed elements");
  if (shape.back() % count != 0)
    refuse("the last extent of the result", shape.back(), fmt::format("a multiple of {}, whole bytes", count));
  shape.back() /= count;
  return shape;
}

}  // namespace cornerturn
