// The modes of TMA of cornerturn/tile.cuh beside CuTe's layouts.

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>

#include <cute/tensor.hpp>

#include <cute/atom/mma_traits_sm90_gmma.hpp>

#include "cornerturn/rows.cuh"
#include "cornerturn/tile.cuh"

namespace cornerturn {
namespace {

/// CuTe's atom of wgmma's operand whose columns of the source are rows along k, in a mode of TMA.
template <class T, class Mode>
struct cute_atom;
template <class T>
struct cute_atom<T, tile::tma_32> : std::type_identity<cute::GMMA::Layout_K_SW32_Atom<T>> {};
template <class T>
struct cute_atom<T, tile::tma_64> : std::type_identity<cute::GMMA::Layout_K_SW64_Atom<T>> {};
template <class T>
struct cute_atom<T, tile::tma_128> : std::type_identity<cute::GMMA::Layout_K_SW128_Atom<T>> {};

template <class T, class Mode>
void expect_layout_of_cute() {
  constexpr int kColumns = 64, kRows = Mode::column_bytes / int(sizeof(T));
  using tile = tile_transpose<T, kRows, kColumns, 64, Mode>;
  auto const of_bytes =
      cute::tile_to_shape(typename cute_atom<T, Mode>::type(), cute::Shape<cute::Int<kColumns>, cute::Int<kRows>>());
  auto const layout = cute::as_position_independent_swizzle_layout(of_bytes);  // its swizzle is of elements
  using rows = row_tile<T, kColumns, kRows, 64, Mode>;
  for (int column = 0; column < kColumns; ++column)
    for (int row = 0; row < kRows; ++row) {
      ASSERT_EQ(tile::offset(row, column), layout(column, row)) << sizeof(T) << ", " << Mode::column_bytes;
      ASSERT_EQ(rows::offset(column, row), layout(column, row)) << sizeof(T) << ", " << Mode::column_bytes;
    }
}

TEST(tile_header_modes, are_layouts_of_cute) {
  auto const expect = [](auto mode) {
    expect_layout_of_cute<std::uint8_t, decltype(mode)>();
    expect_layout_of_cute<cutlass::half_t, decltype(mode)>();
    expect_layout_of_cute<float, decltype(mode)>();
  };
  expect(tile::tma_32());
  expect(tile::tma_64());
  expect(tile::tma_128());
}

}  // namespace
}  // namespace cornerturn
