#include "problem/squares.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

std::optional<squares> squares_in(numbers const& shape, numbers const& axes, std::int64_t size = 4) {
  return squares_of(canonical(permutation(shape, {}, axes, size)));
}

TEST(squares, are_two_modes_of_equal_extent_in_a_batch) {
  EXPECT_EQ(squares_in({5, 5}, {1, 0}), (squares{.extent = 5, .pitch = 5, .element_size = 4}));
  EXPECT_EQ(squares_in({2, 5, 5}, {0, 2, 1}), (squares{.extent = 5, .pitch = 5, .outer = {2, 25}, .element_size = 4}));
  EXPECT_EQ(squares_in({5, 2, 5}, {2, 1, 0}), (squares{.extent = 5, .pitch = 10, .outer = {2, 5}, .element_size = 4}));
  EXPECT_EQ(squares_in({5, 5, 3}, {1, 0, 2}), (squares{.extent = 5, .run = 3, .pitch = 15, .element_size = 4}));
  EXPECT_EQ(squares_in({7, 5, 2, 5, 3}, {0, 3, 2, 1, 4}),
            (squares{.extent = 5, .run = 3, .pitch = 30, .inner = {2, 15}, .outer = {7, 150}, .element_size = 4}));
}

TEST(squares, have_runs_of_what_elements_are_split_into) {
  EXPECT_EQ(squares_in({5, 5}, {1, 0}, 12), (squares{.extent = 5, .run = 3, .pitch = 15, .element_size = 4}));
}

TEST(squares, may_have_several_modes_a_side) {
  EXPECT_EQ(squares_in({2, 3, 2, 3}, {2, 3, 0, 1}), (squares{.extent = 6, .pitch = 6, .element_size = 4}));
}

TEST(squares, are_no_other_permutations) {
  EXPECT_FALSE(squares_in({2, 3}, {1, 0}));
  EXPECT_FALSE(squares_in({2, 3}, {0, 1}));
  EXPECT_FALSE(squares_in({2, 2, 2}, {1, 2, 0}));
  EXPECT_FALSE(squares_in({2, 2, 3, 3}, {1, 0, 3, 2}));
  EXPECT_FALSE(squares_in({2, 3, 2, 3}, {2, 1, 0, 3}) == std::nullopt);
}

}  // namespace
}  // namespace cornerturn
