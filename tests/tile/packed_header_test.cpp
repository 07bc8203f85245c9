#include "cornerturn/packed.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "block/host.hpp"
#include "explain/requests.hpp"

namespace cornerturn {
namespace {

using packed_bytes = std::vector<std::uint8_t>;

/// The bits of an element of a row of packed elements.
struct element_place {
  std::size_t byte;
  int shift;
};
element_place place_of_element(int bits, std::size_t row_begin, int index, bool first_is_highest) {
  int const per_byte = 8 / bits, within = index % per_byte;
  return {row_begin + std::size_t(index / per_byte), bits * (first_is_highest ? per_byte - 1 - within : within)};
}

packed_bytes random_bytes(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  packed_bytes result(count);
  for (auto& each : result) each = std::uint8_t(random());
  return result;
}

struct expected_part {
  int rows, columns;
};

template <int Bits, int R, int C>
struct packed_tile {
  static constexpr int kBits = Bits, kRows = R, kColumns = C;
  using tile = packed_transpose<Bits, R, C>;
};

/// Moves a tile and compares all bytes of the destination. The source and the destination begin `offset` bytes after an aligned
/// address, and their rows are `gap` bytes longer than the tile.
template <class Case>
recording expect_packed_transpose(expected_part const& within, int offset, int gap, bool first_is_highest) {
  using tile = typename Case::tile;
  constexpr int kBits = Case::kBits, kPerByte = 8 / kBits;
  SCOPED_TRACE(testing::Message() << within.rows << " x " << within.columns << ", " << offset << ", " << gap << ", "
                                  << first_is_highest);
  int const pitch = Case::kColumns / kPerByte + gap, transposed_pitch = Case::kRows / kPerByte + gap;
  int const rows = std::clamp(within.rows, 0, Case::kRows), columns = std::clamp(within.columns, 0, Case::kColumns);
  auto const needed = rows == 0 ? 0 : (rows - 1) * pitch + (columns + kPerByte - 1) / kPerByte;  // so that sanitizers see more
  auto const source = random_bytes(std::size_t(offset + needed), 56);
  auto destination = random_bytes(std::size_t(offset + Case::kColumns * transposed_pitch), 57), expected = destination;
  for (int c = 0; c < columns; ++c) {
    auto const begin = std::size_t(offset + c * transposed_pitch);
    std::fill_n(expected.begin() + std::ptrdiff_t(begin), (rows + kPerByte - 1) / kPerByte, std::uint8_t(0));
    for (int r = 0; r < rows; ++r) {
      auto const from = place_of_element(kBits, std::size_t(offset + r * pitch), c, first_is_highest),
                 to = place_of_element(kBits, begin, r, first_is_highest);
      expected[to.byte] |= std::uint8_t((source[from.byte] >> from.shift & ((1 << kBits) - 1)) << to.shift);
    }
  }
  recording record;
  host_block block(tile::threads, tile::shared_bytes, &record);
  block.run(0, [&] {
    cornerturn::tile::bounds const bounds{within.rows, within.columns};
    tile::load(block, source.data() + offset, pitch, bounds, first_is_highest);
    tile::store(block, destination.data() + offset, transposed_pitch, bounds, first_is_highest);
  });
  EXPECT_TRUE(destination == expected);
  return record;
}

template <class Case>
class packed_header : public testing::Test {};
using packed_tiles =
    testing::Types<packed_tile<4, 32, 256>, packed_tile<4, 64, 512>, packed_tile<4, 128, 256>, packed_tile<4, 256, 256>,
                   packed_tile<2, 64, 512>, packed_tile<2, 256, 512>, packed_tile<1, 128, 1024>, packed_tile<1, 256, 1024>>;
TYPED_TEST_SUITE(packed_header, packed_tiles);

TYPED_TEST(packed_header, is_moved_in_words_and_vectors_without_bank_conflicts) {
  auto const record = expect_packed_transpose<TypeParam>({TypeParam::kRows, std::numeric_limits<int>::max()}, 0, 16, false);
  int over_ideal = 0, loaded = 0, stored = 0;
  for (auto const& each : requests_of(record))
    if (each.space() == memory_space::shared)
      over_ideal = std::max(over_ideal, wavefronts(each) - ideal_wavefronts(each));
    else
      (each.store() ? stored : loaded) = each.bytes();
  EXPECT_EQ(loaded, 4);
  EXPECT_EQ(stored, 16);
  EXPECT_EQ(over_ideal, 0);
}

TYPED_TEST(packed_header, has_ragged_edges_and_rows_without_alignment) {
  constexpr int kRows = TypeParam::kRows, kColumns = TypeParam::kColumns;
  for (bool const first_is_highest : {false, true}) {
    expect_packed_transpose<TypeParam>({kRows, kColumns}, 0, 0, first_is_highest);
    expect_packed_transpose<TypeParam>({kRows, kColumns}, 4, 4, first_is_highest);
    expect_packed_transpose<TypeParam>({kRows, kColumns}, 3, 1, first_is_highest);
    expect_packed_transpose<TypeParam>({kRows - 1, kColumns - 1}, 0, 0, first_is_highest);
    expect_packed_transpose<TypeParam>({kRows / 2 + 8, kColumns / 2 + 8}, 0, 16, first_is_highest);
    expect_packed_transpose<TypeParam>({kRows / 2 + 3, kColumns / 2 + 5}, 0, 16, first_is_highest);
    expect_packed_transpose<TypeParam>({1, 1}, 0, 16, first_is_highest);
    expect_packed_transpose<TypeParam>({0, kColumns}, 0, 16, first_is_highest);
    expect_packed_transpose<TypeParam>({-5, -5}, 0, 16, first_is_highest);
    expect_packed_transpose<TypeParam>({std::numeric_limits<int>::min(), kColumns}, 0, 16, first_is_highest);
    expect_packed_transpose<TypeParam>({kRows, std::numeric_limits<int>::min()}, 0, 16, first_is_highest);
  }
}

/// A lower triangle of complements, so that an element's value and both of its indices matter.
unsigned changed_element(unsigned value, int row, int column) { return row < column ? 0 : ~value; }

/// Loads a tile with an operation, whose calls are counted, and compares all elements of the destination.
template <class Case>
void expect_operation(expected_part const& within, int offset, bool first_is_highest) {
  using tile = typename Case::tile;
  constexpr int kBits = Case::kBits, kPerByte = 8 / kBits;
  SCOPED_TRACE(testing::Message() << within.rows << " x " << within.columns << ", " << offset << ", " << first_is_highest);
  int const pitch = Case::kColumns / kPerByte, transposed_pitch = Case::kRows / kPerByte;
  int const rows = std::min(within.rows, Case::kRows), columns = std::min(within.columns, Case::kColumns);
  auto const source = random_bytes(std::size_t(offset + Case::kRows * pitch), 58);
  packed_bytes destination(std::size_t(Case::kColumns * transposed_pitch)), expected(destination.size());
  for (int c = 0; c < columns; ++c)
    for (int r = 0; r < rows; ++r) {
      auto const from = place_of_element(kBits, std::size_t(offset + r * pitch), c, first_is_highest),
                 to = place_of_element(kBits, std::size_t(c * transposed_pitch), r, first_is_highest);
      unsigned const value = source[from.byte] >> from.shift & ((1 << kBits) - 1);
      expected[to.byte] |= std::uint8_t((changed_element(value, r, c) & ((1 << kBits) - 1)) << to.shift);
    }
  int calls = 0;
  host_block block(tile::threads, tile::shared_bytes);
  block.run(0, [&] {
    cornerturn::tile::bounds const bounds{within.rows, within.columns};
    tile::load(block, source.data() + offset, pitch, bounds, first_is_highest, [&](unsigned value, int row, int column) {
      ++calls;
      return changed_element(value, row, column);
    });
    tile::store(block, destination.data(), transposed_pitch, bounds, first_is_highest);
  });
  EXPECT_TRUE(destination == expected);
  EXPECT_EQ(calls, rows * columns);
}

TYPED_TEST(packed_header, changes_the_elements_within_the_bounds) {
  for (bool const first_is_highest : {false, true}) {
    expect_operation<TypeParam>({TypeParam::kRows, TypeParam::kColumns + 1}, 0, first_is_highest);
    expect_operation<TypeParam>({TypeParam::kRows - 1, TypeParam::kColumns - 1}, 0, first_is_highest);
    expect_operation<TypeParam>({3, 5}, 1, first_is_highest);
  }
}

TEST(packed_header_operation, may_take_the_element_alone) {
  using tile = packed_transpose<4, 32, 256>;
  packed_bytes const source(32 * 128, 0x10);
  packed_bytes destination(256 * 16);
  host_block block(tile::threads, tile::shared_bytes);
  block.run(0, [&] {
    tile::load(block, source.data(), 128, {32, 256}, false, [](unsigned nibble) { return nibble ^ 8; });
    tile::store(block, destination.data(), 16, {32, 256});
  });
  for (std::size_t i = 0; i < destination.size(); ++i) ASSERT_EQ(destination[i], i / 16 % 2 ? 0x99 : 0x88) << i;
}

}  // namespace
}  // namespace cornerturn
