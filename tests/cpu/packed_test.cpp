#include <gtest/gtest.h>

#include "cpu/bits/transpose.hpp"
#include "support/guarded.hpp"
#include "support/packed.hpp"

namespace cornerturn::cpu {
namespace {

using test::packed_case;

void check(packed_case const& given, bit_packing const& packed) {
  EXPECT_EQ(test::wrong_byte(given, packed,
                             [&](auto const& source, auto& result, packed_matrices const& all) {
                               transpose_packed(source.data() + given.begin, result.data() + given.begin, all, 0);
                             }),
            "");
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

// Rows of each matrix keep cache lines, but those of different matrices do not begin at the same byte of a line.
TEST(packed_matrices, beside_others_are_written_past_the_caches) {
  for (std::int64_t const apart : {5, 64}) check({520, 2112, 0, 64, 0, 2, apart}, {4, false});
}

TEST(packed_matrices, are_between_pages_that_are_not_touched) {
  using test::guarded;
  for (packed_case const& each : {packed_case{66, 65}, packed_case{66, 65, 62, 63}})
    for (int const bits : {4, 2, 1})
      for (std::size_t into_line = 0; into_line < guarded::kLine; ++into_line)
        for (auto const where : {guarded::beside::first, guarded::beside::last}) {
          bit_packing const packed{bits, false};
          auto const all = each.matrices(packed);
          auto const size = [&](std::int64_t rows, std::int64_t stride, std::int64_t row) {
            return std::size_t((rows * packed.per_byte() - 1) * stride + row);
          };
          guarded const source(size(all.destination_row, all.source_stride, all.source_row), where, into_line),
              result(size(all.source_row, all.destination_stride, all.destination_row), where, guarded::kLine - 1 - into_line);
          std::ranges::copy(test::filled(std::ssize(source.bytes())), source.data());
          test::bytes_list wanted(result.bytes().begin(), result.bytes().end());
          test::transpose_plainly(source.data(), wanted.data(), all);
          transpose_packed(source.data(), result.data(), all, 0);
          ASSERT_TRUE(result.holds(wanted)) << bits << " bits, " << into_line << " bytes into a line";
        }
}

}  // namespace
}  // namespace cornerturn::cpu
