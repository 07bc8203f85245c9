#include <gtest/gtest.h>

#include "cpu/bits/transpose.hpp"
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

}  // namespace
}  // namespace cornerturn::cpu
