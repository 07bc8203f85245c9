#include "kernel/rung/fold.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using list = std::vector<std::int64_t>;

/// "transposed 2 x 24 x 3, pitches 3 24, batches 72 72": batch, rows and cols; pitches and batch strides of source, destination.
std::string text_of(problem const& given) {
  auto const seen = fold(canonical(given));
  if (!seen) return "nothing";
  auto const& shape = seen->shape;
  return fmt::format("{} {} x {} x {}, pitches {} {}, batches {} {}", seen->transposed ? "transposed" : "straight", shape.batch,
                     shape.rows, shape.cols, shape.source_pitch, shape.destination_pitch, shape.source_batch_stride,
                     shape.destination_batch_stride);
}

std::string text_of(list const& extents, list const& axes, std::int64_t element_size = 4) {
  return text_of(permutation(extents, dense_strides(extents, storage_order::c), axes, element_size));
}

TEST(fold, an_identity_is_one_row) {
  EXPECT_EQ(text_of({4, 5, 6}, {0, 1, 2}), "straight 1 x 1 x 120, pitches 120 120, batches 0 0");
  EXPECT_EQ(text_of({}, {}), "straight 1 x 1 x 1, pitches 1 1, batches 0 0");
}

TEST(fold, a_matrix) {
  EXPECT_EQ(text_of({7, 11}, {1, 0}), "transposed 1 x 7 x 11, pitches 11 7, batches 0 0");
  EXPECT_EQ(text_of({7, 11, 13}, {2, 0, 1}), "transposed 1 x 77 x 13, pitches 13 77, batches 0 0");
  EXPECT_EQ(text_of({7, 11, 13}, {1, 2, 0}), "transposed 1 x 7 x 143, pitches 143 7, batches 0 0");
}

TEST(fold, a_batch_of_matrices) {
  EXPECT_EQ(text_of({5, 7, 11}, {0, 2, 1}), "transposed 5 x 7 x 11, pitches 11 7, batches 77 77");
  EXPECT_EQ(text_of({2, 4, 6, 3}, {0, 3, 1, 2}), "transposed 2 x 24 x 3, pitches 3 24, batches 72 72");  // NHWC to NCHW
  EXPECT_EQ(text_of({2, 3, 4, 6}, {0, 2, 3, 1}), "transposed 2 x 3 x 24, pitches 24 3, batches 72 72");  // and back
}

TEST(fold, a_batch_that_is_not_outermost) {
  EXPECT_EQ(text_of({2, 3, 4}, {2, 1, 0}), "transposed 3 x 2 x 4, pitches 12 6, batches 4 2");
}

TEST(fold, what_keeps_its_innermost_mode_is_straight) {
  EXPECT_EQ(text_of({5, 7, 3}, {1, 0, 2}), "straight 5 x 7 x 3, pitches 3 15, batches 21 3");
  EXPECT_EQ(text_of({5, 7}, {1, 0}, 12), "straight 5 x 7 x 3, pitches 3 15, batches 21 3");  // three elements of 4 bytes
}

TEST(fold, one_row_or_column_is_a_copy) {
  EXPECT_EQ(text_of({1, 9}, {1, 0}), "straight 1 x 1 x 9, pitches 9 9, batches 0 0");
  EXPECT_EQ(text_of({9, 1}, {1, 0}), "straight 1 x 1 x 9, pitches 9 9, batches 0 0");
}

TEST(fold, one_row_or_column_with_a_pitch_is_a_transpose) {
  EXPECT_EQ(text_of({.modes = {{9, 1, 5}}}), "transposed 1 x 1 x 9, pitches 9 5, batches 0 0");
  EXPECT_EQ(text_of({.modes = {{9, 5, 1}}}), "transposed 1 x 9 x 1, pitches 5 9, batches 0 0");
  EXPECT_EQ(text_of({.modes = {{3, 100, 200}, {9, 1, 5}}}), "transposed 3 x 1 x 9, pitches 9 5, batches 100 200");
}

TEST(fold, pitches) {
  EXPECT_EQ(text_of({.modes = {{4, 10, 1}, {6, 1, 9}}}), "transposed 1 x 4 x 6, pitches 10 9, batches 0 0");
  EXPECT_EQ(text_of({.modes = {{4, 10, 9}, {6, 1, 1}}}), "straight 1 x 4 x 6, pitches 10 9, batches 0 0");
  EXPECT_EQ(text_of({.modes = {{2, 50, 60}, {4, 10, 1}, {6, 1, 9}}}), "transposed 2 x 4 x 6, pitches 10 9, batches 50 60");
}

TEST(fold, rows_that_run_backwards_or_repeat) {
  EXPECT_EQ(text_of({.modes = {{4, -6, 1}, {6, 1, 4}}, .source_offset = 18}), "transposed 1 x 4 x 6, pitches -6 4, batches 0 0");
  EXPECT_EQ(text_of({.modes = {{4, 0, 1}, {6, 1, 4}}}), "transposed 1 x 4 x 6, pitches 0 4, batches 0 0");
  EXPECT_EQ(text_of({.modes = {{6, -1, 1}}, .source_offset = 5}), "transposed 1 x 6 x 1, pitches -1 6, batches 0 0");
}

TEST(fold, nothing_to_move) {
  for (auto const& extents : {list{0, 5, 7}, list{5, 0, 7}, list{5, 7, 0}, list{0, 0, 0}}) {
    auto const seen = fold(canonical(permutation(extents, dense_strides(extents, storage_order::c), list{2, 0, 1}, 4)));
    ASSERT_TRUE(seen);
    EXPECT_EQ(seen->shape.batch * seen->shape.rows * seen->shape.cols, 0);
  }
}

TEST(fold, what_is_neither_a_copy_nor_a_batch_of_matrices) {
  EXPECT_EQ(text_of({2, 3, 4, 5}, {3, 2, 1, 0}), "nothing");          // two modes too many for one batch
  EXPECT_EQ(text_of({6, 5, 7}, {0, 2, 1}, 12), "nothing");            // a batch of pixels of three elements
  EXPECT_EQ(text_of({.modes = {{9, 2, 3}}}), "nothing");              // contiguous nowhere
  EXPECT_EQ(text_of({.modes = {{4, 7, 2}, {6, 40, 9}}}), "nothing");  // the same in two dimensions
}

}  // namespace
}  // namespace cornerturn
