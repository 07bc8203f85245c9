#include "cornerturn/formats.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cute/swizzle_layout.hpp>
#include <string_view>
#include <vector>

#include "support/iota.hpp"

namespace cornerturn {
namespace {

/// Compares the only tile of a format with an atom of elements of 2 bytes, whose axes are those of the array.
template <class Atom>
void expect_atom(std::string_view name, Atom const& atom) {
  std::vector<std::int64_t> const shape{cute::size<0>(atom), cute::size<1>(atom)};
  auto const source = test::iota<std::uint16_t>(shape[0] * shape[1]);
  std::vector<std::uint16_t> tile(source.size());
  auto const call = packing(name, shape, 16);
  rearrange(source.data(), tile.data(), call.pattern, shape, 2, call.axis_lengths(), {.swizzle = call.swizzle});
  for (int i = 0; i < shape[0]; ++i)
    for (int j = 0; j < shape[1]; ++j)
      ASSERT_EQ(tile[std::size_t(atom(i, j))], source[std::size_t(i * shape[1] + j)]) << name << " " << i << ", " << j;
}

TEST(known_formats, swizzled_tiles_are_the_atoms_of_cutlass) {
  using namespace cute;
  // as cute/atom/mma_traits_sm90_gmma.hpp has them, upcast from bits to elements
  expect_atom("k_major_sw128", composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}));
  expect_atom("k_major_sw64", composition(Swizzle<2, 3, 3>{}, Layout<Shape<_8, _32>, Stride<_32, _1>>{}));
  expect_atom("k_major_sw32", composition(Swizzle<1, 3, 3>{}, Layout<Shape<_8, _16>, Stride<_16, _1>>{}));
  expect_atom("mn_major_sw128", composition(Swizzle<3, 3, 3>{}, Layout<Shape<_64, _8>, Stride<_1, _64>>{}));
  expect_atom("mn_major_sw64", composition(Swizzle<2, 3, 3>{}, Layout<Shape<_32, _8>, Stride<_1, _32>>{}));
  expect_atom("mn_major_sw32", composition(Swizzle<1, 3, 3>{}, Layout<Shape<_16, _8>, Stride<_1, _16>>{}));
}

}  // namespace
}  // namespace cornerturn
