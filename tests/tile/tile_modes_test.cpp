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

/// CuTe's layout of rows along k, from elements to elements.
template <class T, class Mode, int Rows, int Columns>
constexpr auto layout_of_cute() {
  auto const of_bytes =
      cute::tile_to_shape(typename cute_atom<T, Mode>::type(), cute::Shape<cute::Int<Rows>, cute::Int<Columns>>());
  return cute::as_position_independent_swizzle_layout(of_bytes);
}

template <class T, class Mode>
void expect_layout_of_cute() {
  constexpr int kColumns = 64, kRows = Mode::column_bytes / int(sizeof(T));
  using tile = tile_transpose<T, kRows, kColumns, 64, Mode>;
  auto const layout = layout_of_cute<T, Mode, kColumns, kRows>();
  using rows = row_tile<T, kColumns, kRows, 64, Mode>;
  for (int column = 0; column < kColumns; ++column)
    for (int row = 0; row < kRows; ++row) {
      ASSERT_EQ(tile::offset(row, column), layout(column, row)) << sizeof(T) << ", " << Mode::column_bytes;
      ASSERT_EQ(rows::offset(column, row), layout(column, row)) << sizeof(T) << ", " << Mode::column_bytes;
    }
}

template <class T>
void expect_boxes_of_cute() {
  constexpr int kRows = 24, kColumns = 3 * 128 / int(sizeof(T));
  using rows = row_tile<T, kRows, kColumns, 64, tile::tma_128>;
  auto const layout = layout_of_cute<T, tile::tma_128, kRows, kColumns>();
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) ASSERT_EQ(rows::offset(row, column), layout(row, column)) << sizeof(T);
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

TEST(tile_header_modes, have_boxes_of_cute) {
  expect_boxes_of_cute<std::uint8_t>();
  expect_boxes_of_cute<cutlass::half_t>();
  expect_boxes_of_cute<float>();
}

template <class Mode>
void expect_descriptor(cute::SM90::GMMA::LayoutType mode) {
  for (unsigned const address : {0U, 0x400U, 0x38c60U}) {
    cute::GmmaDescriptor expected;
    expected.bitfield.start_address_ = std::uint16_t(address >> 4 & 0x3fff);
    expected.bitfield.leading_byte_offset_ = 1;
    expected.bitfield.stride_byte_offset_ = Mode::column_bytes * 8 / 16;
    expected.bitfield.layout_type_ = std::uint8_t(mode);
    EXPECT_EQ(tile::matrix_descriptor<Mode>(address), expected.desc_) << Mode::column_bytes;
  }
}

TEST(tile_header_modes, have_descriptors_of_cute) {
  using type = cute::SM90::GMMA::LayoutType;
  expect_descriptor<tile::tma_32>(type::B32);
  expect_descriptor<tile::tma_64>(type::B64);
  expect_descriptor<tile::tma_128>(type::B128);
}

}  // namespace
}  // namespace cornerturn
