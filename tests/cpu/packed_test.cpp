#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/bits/transpose.hpp"

namespace cornerturn::cpu {
namespace {

using bytes_list = std::vector<std::byte>;

bytes_list filled(std::int64_t count) {
  bytes_list result(static_cast<std::size_t>(count));
  std::uint32_t state = 57;
  for (auto& each : result) state = state * 1664525 + 1013904223, each = std::byte(state >> 24);
  return result;
}

int element_of(std::byte const* row, std::int64_t index, packing const& packed) {
  auto const within = index % packed.per_byte();
  return int(row[index / packed.per_byte()]) >> packed.shift(within) & packed.mask();
}

/// Matrices whose sides begin some bytes after an address and have gaps, which must stay as they are.
struct packed_case {
  std::int64_t source_row, destination_row;  ///< bytes
  std::int64_t source_gap = 0, destination_gap = 0, begin = 0, count = 1;

  packed_matrices matrices(packing const& packed) const {
    auto const source_stride = source_row + source_gap, destination_stride = destination_row + destination_gap,
               per_byte = packed.per_byte();
    return {.outer = {{count, destination_row * per_byte * source_stride, source_row * per_byte * destination_stride}},
            .source_row = source_row,
            .destination_row = destination_row,
            .source_stride = source_stride,
            .destination_stride = destination_stride,
            .packed = packed};
  }
};

void check(packed_case const& given, packing const& packed) {
  auto const all = given.matrices(packed);
  auto const& outer = all.outer[0];
  auto const source = filled(given.begin + given.count * outer.source_stride);
  auto const before = filled(given.begin + given.count * outer.destination_stride + 1);
  auto result = before;
  auto const per_byte = packed.per_byte();
  transpose_packed(source.data() + given.begin, result.data() + given.begin, all, 0);
  auto wanted = before;
  for (std::int64_t matrix = 0; matrix < given.count; ++matrix)
    for (std::int64_t row = 0; row < all.source_row * per_byte; ++row)
      for (std::int64_t at = 0; at < all.destination_row; ++at) {
        int byte = 0;
        for (std::int64_t i = 0; i < per_byte; ++i) {
          auto const* const from =
              source.data() + given.begin + matrix * outer.source_stride + (at * per_byte + i) * all.source_stride;
          byte |= element_of(from, row, packed) << packed.shift(i);
        }
        wanted[std::size_t(given.begin + matrix * outer.destination_stride + row * all.destination_stride + at)] =
            std::byte(byte);
      }
  auto const same = std::ranges::mismatch(result, wanted);
  EXPECT_EQ(same.in1, result.end()) << "byte " << same.in1 - result.begin() << " of " << given.source_row << " x "
                                    << given.destination_row << " bytes, bits " << packed.bits << packed.first_is_highest;
}

TEST(packed_matrices, are_transposed) {
  packed_case const cases[] = {
      {1, 1}, {8, 64}, {64, 8}, {65, 127}, {3, 200, 5, 7, 3}, {130, 63, 1, 2, 9, 3}, {9, 7, 0, 0, 0, 50}};
  for (int const bits : {4, 2, 1})
    for (bool const is_reversed : {false, true})
      for (auto const& each : cases) check(each, {bits, is_reversed});
}

// Rows of the destination begin at the same byte of a cache line, and the result is larger than what is written to the caches.
TEST(packed_matrices, are_written_past_the_caches) {
  for (std::int64_t const begin : {0, 16, 5}) {
    check({33, 16384, 0, 0, begin}, {1, false});
    check({1030, 2112, 3, 64, begin}, {4, begin == 0});
  }
}

}  // namespace
}  // namespace cornerturn::cpu
