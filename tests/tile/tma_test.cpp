#include "kernel/rung/tma.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "block/host.hpp"

namespace cornerturn {
namespace {

/// Transposes a matrix of `rows` x `cols` with `Tiles` tiles per block. Returns the number of wrong elements.
template <int Tiles>
int wrong_after(std::int64_t rows, std::int64_t cols) {
  using program = tile::tma<std::uint32_t, 32, 32, 64, 1, Tiles, tile::diagonal<std::uint32_t, 32, 32, 64>>;
  std::vector<std::uint32_t> source(std::size_t(rows * cols)), result(source.size(), 0xFFFFFFFF);
  std::iota(source.begin(), source.end(), 0u);
  job const shape{.rows = rows, .cols = cols, .source_pitch = cols, .destination_pitch = rows};
  auto const args =
      tile::with_tensor_maps<program>(tile::matrices<std::uint32_t>::over(program{}, source.data(), result.data(), shape),
                                      [](tensor_map const& map) { return map; });
  auto const tiles = (rows + 31) / 32 * ((cols + 31) / 32);
  host_block block(program::kThreads, program::kSharedBytes);
  for (std::int64_t index = 0; index * Tiles < tiles; ++index) block.run(index, [&] { program::run(block, args); });
  int wrong = 0;
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < cols; ++c) wrong += result[std::size_t(c * rows + r)] != source[std::size_t(r * cols + c)];
  return wrong;
}

TEST(tma, uses_its_stages_again) {
  for (auto const& [rows, cols] : {std::pair{224, 32}, {100, 132}, {32, 416}}) {  // 7, 20 and 13 tiles
    EXPECT_EQ(wrong_after<1>(rows, cols), 0);
    EXPECT_EQ(wrong_after<2>(rows, cols), 0);
    EXPECT_EQ(wrong_after<3>(rows, cols), 0);
    EXPECT_EQ(wrong_after<8>(rows, cols), 0);
  }
}

}  // namespace
}  // namespace cornerturn
