#include "cornerturn/exchange.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "block/host.hpp"
#include "block/host_warp.hpp"
#include "explain/requests.hpp"
#include "tile/job.hpp"

namespace cornerturn {
namespace {

template <class T, int Count>
struct lanes {
  using type = T;
  static constexpr int kCount = Count;
};

template <class Case>
class exchange_header : public testing::Test {};
using cases = testing::Types<lanes<std::uint8_t, 4>, lanes<std::uint8_t, 16>, lanes<std::uint8_t, 32>, lanes<std::uint16_t, 2>,
                             lanes<std::uint16_t, 8>, lanes<float, 2>, lanes<float, 32>, lanes<double, 16>, lanes<bits128, 4>>;
TYPED_TEST_SUITE(exchange_header, cases);

/// Different for each register of a warp, as far as T has so many values.
template <class T>
T value_of(int lane, int index) {
  T result{};
  auto const number = std::uint16_t(lane * 37 + index * 5 + 1);
  std::memcpy(static_cast<void*>(&result), &number, std::min(sizeof(T), sizeof(number)));
  return result;
}

TYPED_TEST(exchange_header, transposes_registers_of_neighbouring_lanes) {
  using type = typename TypeParam::type;
  constexpr int kCount = TypeParam::kCount;
  host_block block(64, 0);
  for (int index = 0; index < 2; ++index)
    block.run(index, [&] {
      int const lane = block.thread(), first = lane / kCount * kCount;
      type registers[kCount];
      for (int i = 0; i < kCount; ++i) registers[i] = value_of<type>(lane, i);
      tile::exchange(block, registers);
      for (int i = 0; i < kCount; ++i) {
        auto const expected = value_of<type>(first + i, lane - first);
        EXPECT_EQ(std::memcmp(&registers[i], &expected, sizeof(type)), 0) << lane << ", " << i;
      }
    });
}

/// Any word, different for each lane and index.
std::uint32_t word_of(int lane, int index) { return std::uint32_t(lane * 4 + index + 1) * 2654435761U; }

/// Element `index` of `bits` bits in words, the first in the lowest bits of word 0.
std::uint32_t element_of(std::uint32_t const* words, int bits, int index) {
  return words[index * bits / 32] >> index * bits % 32 & ((1U << bits) - 1);
}

template <int Bits, int Words>
void expect_exchange_packed() {
  SCOPED_TRACE(testing::Message() << Bits << " bits, " << Words << " words");
  constexpr int kCount = Words * 32 / Bits;
  host_block block(64, 0);
  block.run(0, [&] {
    int const lane = block.thread(), first = lane / kCount * kCount;
    std::uint32_t words[Words];
    for (int w = 0; w < Words; ++w) words[w] = word_of(lane, w);
    tile::exchange_packed<Bits>(block, words);
    for (int i = 0; i < kCount; ++i) {
      std::uint32_t row[Words];
      for (int w = 0; w < Words; ++w) row[w] = word_of(first + i, w);
      EXPECT_EQ(element_of(words, Bits, i), element_of(row, Bits, lane - first)) << lane << ", " << i;
    }
  });
}

TEST(exchange_packed, transposes_packed_elements_of_neighbouring_lanes) {
  expect_exchange_packed<4, 1>();
  expect_exchange_packed<4, 2>();
  expect_exchange_packed<4, 4>();
  expect_exchange_packed<2, 1>();
  expect_exchange_packed<2, 2>();
  expect_exchange_packed<1, 1>();
}

template <int Bits>
void expect_transpose_packed() {
  constexpr int kSide = 32 / Bits;
  std::uint32_t before[kSide], after[kSide];
  for (int row = 0; row < kSide; ++row) before[row] = after[row] = word_of(row, 0);
  tile::transpose_packed<Bits>(after);
  for (int row = 0; row < kSide; ++row)
    for (int i = 0; i < kSide; ++i)
      EXPECT_EQ(element_of(&after[row], Bits, i), element_of(&before[i], Bits, row)) << Bits << ": " << row << ", " << i;
}

TEST(transpose_packed, transposes_a_square_of_one_thread) {
  expect_transpose_packed<4>();
  expect_transpose_packed<2>();
  expect_transpose_packed<1>();
}

/// A warp reads 32 rows of 16 bytes, row r at the byte `row_at(r)`, and each lane gets eight rows of its columns. Returns the
/// wavefronts of the instruction.
template <class T, class RowAt>
int expect_load_transposed(RowAt const& row_at) {
  constexpr int kColumns = 2 / int(sizeof(T));
  recording record;
  for (bool const records : {true, false}) {
    host_warp block(64, 32 * 256, records ? &record : nullptr);
    block.run(records ? 0 : 1, [&] {
      auto* const shared = block.template shared<std::byte, 32 * 256>();
      int const lane = block.thread() % kWarp;
      if (block.thread() < kWarp)
        for (int column = 0; column < 8 * kColumns; ++column) {
          auto const value = value_of<T>(lane, column);
          std::memcpy(shared + row_at(lane) + column * int(sizeof(T)), &value, sizeof(T));
        }
      block.sync();
      T registers[kColumns][8];
      tile::load_transposed(
          block, [&](int row) { return shared + row_at(row); }, registers);
      for (int c = 0; c < kColumns; ++c)
        for (int r = 0; r < 8; ++r)
          EXPECT_EQ(registers[c][r], value_of<T>(lane % 4 * 8 + r, lane / 4 * kColumns + c)) << lane << ": " << c << ", " << r;
    });
  }
  auto const requests = requests_of(record);
  EXPECT_EQ(requests.size(), 2);
  return wavefronts(requests.at(0));
}

TEST(load_transposed, gives_each_lane_eight_rows_without_conflicts) {
  auto const pitch_of = [](int bytes) { return [=](int row) { return row * bytes; }; };
  auto const swizzled = [](int bytes, int ones) { return [=](int row) { return row * bytes ^ (row * bytes >> 3 & ones); }; };
  EXPECT_EQ(expect_load_transposed<std::uint16_t>(pitch_of(16)), 4);
  EXPECT_EQ(expect_load_transposed<std::uint8_t>(pitch_of(144)), 4);
  EXPECT_EQ(expect_load_transposed<std::uint16_t>(swizzled(32, 0x10)), 4);
  EXPECT_EQ(expect_load_transposed<std::uint8_t>(swizzled(64, 0x30)), 4);
  EXPECT_EQ(expect_load_transposed<std::uint16_t>(swizzled(128, 0x70)), 4);
  EXPECT_EQ(expect_load_transposed<std::uint8_t>(pitch_of(128)), 32);
}

TEST(transpose_fragments, transposes_accumulators_of_a_warp) {
  host_warp block(64, 0);
  for (int index = 0; index < 2; ++index)
    block.run(index, [&] {
      auto const element = [](int row, int column) { return std::uint32_t(row * 64 + column + 1); };
      int const lane = block.thread() % kWarp, row = lane / 4, column = lane % 4 * 2;
      std::uint32_t from[2][3], to[3][2];
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 3; ++k)
          from[i][k] = element(8 * i + row, 8 * k + column) | element(8 * i + row, 8 * k + column + 1) << 16;
      tile::transpose_fragments(block, from, to);
      for (int k = 0; k < 3; ++k)
        for (int i = 0; i < 2; ++i)
          EXPECT_EQ(to[k][i], element(8 * i + column, 8 * k + row) | element(8 * i + column + 1, 8 * k + row) << 16) << lane;
    });
}

}  // namespace
}  // namespace cornerturn
