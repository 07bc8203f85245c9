#include "plan/choose.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <vector>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "support/nanoseconds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

/// 9 to 22 us where nothing else runs; ten times what is promised, for machines that do something else as well.
TEST(choose, takes_microseconds) {
  struct drawn {
    numbers shape, axes;
    std::int64_t size;
  };
  for (auto const& [shape, axes, size] : std::vector<drawn>{
           {{8192, 8192}, {1, 0}, 4},
           {{256, 224, 224, 3}, {0, 3, 1, 2}, 1},
           {{48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}, 4},
           {{2, 131, 3, 38, 13, 145, 2}, {5, 3, 0, 2, 6, 4, 1}, 8},
           {{2, 18, 2, 4, 78, 2, 313, 9, 4}, {1, 7, 4, 0, 6, 2, 3, 8, 5}, 2},
           {{2, 19, 2, 21, 1926, 14, 3}, {2, 1, 6, 0, 3, 5, 4}, 1},
           {numbers(26, 2), {25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, 1}}) {
    auto const problem = canonical(permutation(shape, {}, axes, size));
    double const each = test::nanoseconds_of([&] { candidates_of(problem, {16, 16}); }, 20);
    fmt::print("{:.1f} us for {} of {} bytes\n", 1e-3 * each, fmt::join(shape, "x"), size);
    EXPECT_LT(each, test::kSlowed ? 20e6 : 200e3);
  }
}

}  // namespace
}  // namespace cornerturn
