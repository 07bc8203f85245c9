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

}  // namespace
}  // namespace cornerturn
