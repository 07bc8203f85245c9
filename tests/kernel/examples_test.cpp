#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "kernel/boxes/job.hpp"
#include "kernel/gather/job.hpp"
#include "kernel/interleave/job.hpp"
#include "kernel/panels/job.hpp"
#include "kernel/small/job.hpp"
#include "kernel/swap/job.hpp"
#include "kernel/tiled/job.hpp"
#include "kernel/unaligned/job.hpp"

// The worked examples in comments of the kernels, and where blocks work.

namespace cornerturn {
namespace {

/// The digits of the tiles of a 64 x 48 matrix of bytes, which is transposed: 32 rows x 16 columns (tile/radix_digit.hpp).
template <class Job>
void cut_example(Job& job) {
  job.digits[0] = {.radix = fast_divmod(3), .source = 16, .destination = 16 * 64, .run_index = 16};
  job.digits[1] = {.radix = fast_divmod(2), .source = 32 * 48, .destination = 32, .vector_index = 32};
  job.tile_digits = {0, 2};
}

TEST(tiled_job, has_tiles_at_the_sums_of_their_digits) {
  tiled_job job;
  cut_example(job);
  tile::decoded_index<std::int64_t> const place(job, job.tile_digits, 5);
  EXPECT_EQ(place.source, 1568);
  EXPECT_EQ(place.destination, 2080);
}

TEST(gather_job, is_cut_at_the_ends) {
  gather_job job;
  cut_example(job);
  job.load.cut = {.extent = 40, .tile_indices = 16}, job.store.cut = {.extent = 64, .tile_indices = 32};
  auto const place = [&](int index) { return tile::decoded_index<std::int64_t>(job, job.tile_digits, index); };
  EXPECT_EQ(job.run_left(place(0)), 16);
  EXPECT_EQ(job.vectors_left(place(0)), 33);
  EXPECT_EQ(job.run_left(place(5)), 40 - 2 * 16);
  EXPECT_EQ(job.vectors_left(place(5)), 32);
}

TEST(gather_job, reads_within_the_source) {
  gather_job job;
  job.load.tile_low = -16, job.load.tile_high = 100;
  EXPECT_TRUE(job.load.is_within<std::int64_t>(16, 0, 116));
  EXPECT_FALSE(job.load.is_within<std::int64_t>(15, 0, 116));
  EXPECT_FALSE(job.load.is_within<std::int64_t>(17, 0, 116));
}

TEST(block_place, of_unaligned_reads_a_unit_more_than_it_writes) {
  unaligned_job job;
  cut_example(job);
  job.rows = 64, job.cols = 40, job.tile_rows = 32, job.tile_cols = 16;
  auto const place = [&](int index) {
    return block_place(job, tile::decoded_index<std::int64_t>(job, job.tile_digits, index), 16);
  };
  EXPECT_EQ(place(0).rows_read, 48);
  EXPECT_EQ(place(0).cols, 16);
  EXPECT_EQ(place(5).first_row, 32);
  EXPECT_EQ(place(5).first_col, 32);
  EXPECT_EQ(place(5).rows_left, 32);
  EXPECT_EQ(place(5).rows_read, 32);
  EXPECT_EQ(place(5).cols, 8);
}

TEST(interleave_job, has_tiles_of_whole_groups) {
  interleave_job job;
  job.digits[0] = {.radix = fast_divmod(3), .run_index = 1};
  job.digits[1] = {.source = 100, .destination = 200};
  job.index_digits = {0, 2};
  auto const place = [&](int index) { return tile::decoded_index<std::int64_t>(job, job.index_digits, index); };
  EXPECT_EQ(first_element(place(3), 8), 0);
  EXPECT_EQ(first_element(place(5), 8), 2 * 255 * 8);
}

TEST(block_place, of_small_goes_down_first) {
  small_job const job{.rows = 60,
                      .cols = 40,
                      .source_pitch = 40,
                      .destination_pitch = 60,
                      .source_batch_stride = 2400,
                      .destination_batch_stride = 2400,
                      .tiles = {2, 2, 2}};
  auto const place = block_place(job, 32, 32, job.tiles.at(4 + 2 + 1));
  EXPECT_EQ(place.source(job), 2400 + 32 * 40 + 32);
  EXPECT_EQ(place.destination(job), 2400 + 32 * 60 + 32);
  EXPECT_EQ(place.rows, 28);
  EXPECT_EQ(place.cols, 8);
}

TEST(tile_pair, folds_the_triangle_of_pairs) {
  swap_job job;
  job.tiles = 4, job.pair_columns = fast_divmod(5), job.pair_rows = fast_divmod(2);
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < 10; ++i) {
    tile_pair const each(job, i);
    pairs.push_back({each.row, each.column});
  }
  EXPECT_EQ(pairs,
            (std::vector<std::pair<int, int>>{{0, 0}, {0, 1}, {0, 2}, {0, 3}, {3, 3}, {1, 1}, {1, 2}, {1, 3}, {2, 2}, {2, 3}}));
}

TEST(panel_part, has_slots_that_are_transposed_in_place) {
  panels_job job;
  job.source_pitch = 12, job.destination_pitch = 6, job.rows = 2, job.columns = 4, job.slots = 3;
  job.slot_width = 4, job.slot_height = 2;
  job.row_stride = 24, job.group_stride = 100;
  auto const source = [&](int row, int slot, int column) { return row * job.source_pitch + slot * job.slot_width + column; };
  auto const destination = [&](int row, int slot, int column) {
    return column * job.destination_pitch + slot * job.slot_height + row;
  };
  EXPECT_EQ(source(1, 2, 1), 21);
  EXPECT_EQ(destination(1, 2, 1), 11);
  EXPECT_EQ(job.shared_offset<4>(5, 2), 126);
  job.block_share = 1, job.cluster = fast_divmod(3);
  panel_part const last(job, 2);
  EXPECT_EQ(last.source, source(0, 2, 0));
  EXPECT_EQ(last.destination, destination(0, 2, 0));
}

TEST(boxes_job, permutes_runs_between_gaps) {
  boxes_job const job{
      .run = 10, .gap = 4, .rows = 2, .columns = fast_divmod(3), .between = fast_divmod(1), .group = fast_divmod(3)};
  EXPECT_EQ(job.offset_of(4), 44);
  EXPECT_EQ(job.destination_of(4), 3);
  EXPECT_EQ(job.offset_of(3), 34);
}

}  // namespace
}  // namespace cornerturn
