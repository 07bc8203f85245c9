#include "cornerturn/exchange.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "block/host.hpp"
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

}  // namespace
}  // namespace cornerturn
