#include "support/limited.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

#include "gpu/gpu_test.hpp"
#include "kernel/alignment.hpp"
#include "plan/limited.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

struct gpu_limited : test::on_gpu<> {};

/// Runs the fastest candidate and the slowest one: one launch, and a launch for each box.
void expect_right(test::limited_case const& each) {
  auto const wanted = test::moved_plainly(each);
  for (bool const is_slowest : {false, true}) {
    auto result = each.destination;
    test::run_on_gpu(each.source, result, [&](std::byte const* from, std::byte* to) {
      from += each.source_first * each.copy.element_size, to += each.destination_first * each.copy.element_size;
      auto const ways = limited_candidates(each.copy, alignment_of(from, to), h200_model());
      gpu::run((is_slowest ? ways.back() : ways.front()).steps, {.source = from, .destination = to}, nullptr);
    });
    EXPECT_EQ(result, wanted) << to_string(each.copy);
  }
}

TEST_F(gpu_limited, arrays_are_padded_and_cropped) {
  test::for_each_seed(100, [](unsigned seed) {
    auto const each = test::random_limited_case(seed);
    if (std::ranges::count(each.copy.move.destination.shape, 0) == 0 && each.copy.move.is_limited()) expect_right(each);
  });
}

TEST_F(gpu_limited, tiles_are_swizzled) {
  test::for_each_seed(100, [](unsigned seed) { expect_right(test::random_swizzled_case(seed)); });
}

}  // namespace
}  // namespace cornerturn
