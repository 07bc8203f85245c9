#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "block/host_warp.hpp"
#include "cornerturn/exchange.cuh"
#include "cornerturn/rows.cuh"
#include "explain/requests.hpp"

namespace cornerturn {
namespace {

template <class Element, class Mode, int Boxes = 1>
struct rows_in_mode {
  using type = Element;
  static constexpr int kRows = 64, kColumns = Boxes * Mode::column_bytes / int(sizeof(Element)), kThreads = 64;
  using tile = row_tile<Element, kRows, kColumns, kThreads, Mode>;
};

template <class Case>
class rows_header : public testing::Test {};
using modes = testing::Types<rows_in_mode<std::uint8_t, tile::tma_32>, rows_in_mode<std::uint16_t, tile::tma_32>,
                             rows_in_mode<std::uint8_t, tile::tma_64>, rows_in_mode<std::uint16_t, tile::tma_64>,
                             rows_in_mode<std::uint8_t, tile::tma_128>, rows_in_mode<std::uint16_t, tile::tma_128>,
                             rows_in_mode<std::uint16_t, tile::tma_128, 2>, rows_in_mode<std::uint8_t, tile::tma_128, 3>>;
TYPED_TEST_SUITE(rows_header, modes);

TYPED_TEST(rows_header, is_loaded_and_read_transposed_without_bank_conflicts) {
  using element = typename TypeParam::type;
  using tile_type = typename TypeParam::tile;
  constexpr int kRows = TypeParam::kRows, kColumns = TypeParam::kColumns, kThreads = TypeParam::kThreads;
  constexpr int kLaneColumns = 2 / int(sizeof(element)), kTogether = 8 * kLaneColumns;
  std::vector<element> source(std::size_t(kRows) * kColumns);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = element(i * 2654435761U >> 9);
  auto const at = [&](int row, int column) { return source[std::size_t(row * kColumns + column)]; };

  recording record;
  host_warp block(kThreads, tile_type::shared_bytes, &record);
  block.run(0, [&] {
    tile_type::load(block, source.data(), kColumns, {kRows, kColumns});
    block.sync();
    int const lane = block.thread() % kWarp, first = block.thread() / kWarp * 32;
    for (int column = 0; column < kColumns; column += kTogether) {
      element registers[kLaneColumns][8];
      tile::load_transposed(
          block, [&](int row) { return tile_type::data(block) + tile_type::offset(first + row, column); }, registers);
      for (int c = 0; c < kLaneColumns; ++c)
        for (int r = 0; r < 8; ++r)
          EXPECT_EQ(registers[c][r], at(first + lane % 4 * 8 + r, column + lane / 4 * kLaneColumns + c)) << lane << ", " << r;
    }
  });
  for (auto const& each : requests_of(record))
    EXPECT_TRUE(each.space() == memory_space::global || wavefronts(each) == ideal_wavefronts(each));
}

TYPED_TEST(rows_header, has_ragged_edges_and_an_operation) {
  using element = typename TypeParam::type;
  using tile_type = typename TypeParam::tile;
  constexpr int kRows = TypeParam::kRows, kColumns = TypeParam::kColumns, kThreads = TypeParam::kThreads;
  std::vector<float> const source(std::size_t(kRows) * (kColumns + 1), 2);
  host_warp block(kThreads, tile_type::shared_bytes);
  for (auto const& [rows, columns] : {tile::bounds{kRows, kColumns}, tile::bounds{kRows - 3, kColumns - 1}, tile::bounds{0, 5}})
    block.run(0, [&, rows = rows, columns = columns] {
      tile_type::load(block, source.data(), kColumns + 1, {rows, columns},
                      [](float value, int row, int column) { return value + float(row + column); });
      block.sync();
      for (int row = 0; row < kRows; ++row)
        for (int column = 0; column < kColumns; ++column)
          EXPECT_EQ(tile_type::data(block)[tile_type::offset(row, column)],
                    row < rows && column < columns ? element(2 + row + column) : element(0));
      block.sync();
    });
}

}  // namespace
}  // namespace cornerturn
