#include "machine/cpu_work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cpu/convert/plan.hpp"
#include "cpu/sizes.hpp"
#include "plan/cpu_candidates.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"

namespace cornerturn {
namespace {

using numbers = std::vector<std::int64_t>;

constexpr double kMatrix = 4096.0 * 4096 * 4;  ///< bytes of the matrices below

cpu_tile_hint const kZen4 = zen4_tiles({.threads = {.most = 2}, .byte_permutes = true});

problem transposition(std::int64_t rows, std::int64_t columns, elements const& element) {
  return canonical(permutation(numbers{rows, columns}, {}, numbers{1, 0}, element));
}

/// A matrix whose columns are every `step`-th of a larger matrix.
problem every(std::int64_t step, std::int64_t rows, std::int64_t columns, std::int64_t size) {
  return canonical(permutation(numbers{rows, columns}, numbers{columns * step, step}, numbers{1, 0}, size));
}

cpu_work work(problem const& p, cpu_tile_hint const& hint = kZen4) { return cpu_work_of(cpu_candidate_of(p, hint)); }

/// The bytes of the cache lines of one side that have elements, element by element.
double counted_lines(problem const& p, std::int64_t mode::*stride, std::int64_t size) {
  numbers offsets{0}, lines;
  for (auto const& m : p.modes) {
    auto const before = offsets;
    offsets.clear();
    for (auto const at : before)
      for (std::int64_t i = 0; i < m.extent; ++i) offsets.push_back(at + i * m.*stride);
  }
  for (auto const at : offsets) lines.push_back(at * size / kCacheLine);
  std::ranges::sort(lines);
  return double(kCacheLine) * double(std::ranges::unique(lines).begin() - lines.begin());
}

TEST(cpu_work, has_the_bytes_of_the_lines_that_elements_fill) {
  problem const cases[] = {transposition(256, 320, 4),
                           transposition(64, 64, 1),
                           every(2, 256, 128, 4),
                           every(3, 256, 128, 1),
                           every(2, 64, 128, 16),
                           canonical({.modes = {{256, 1, 128}, {128, 0, 1}}, .element_size = 4}),  // every element 128 times
                           canonical(permutation(numbers{40, 30, 50}, {}, numbers{2, 1, 0}, 8)),
                           canonical(permutation(numbers{3, 2, 2, 39, 2, 4, 37}, {}, numbers{2, 5, 4, 3, 0, 1, 6}, 2))};
  for (auto const& p : cases)
    for (auto const& hint : {kZen4, cpu_tile_hint()}) {
      auto const found = work(p, hint);
      auto const what = describe(cpu_candidate_of(p, hint));
      auto const size = shared_element_size(p);
      double const read = counted_lines(p, &mode::source_stride, size),
                   written = counted_lines(p, &mode::destination_stride, size);
      EXPECT_NEAR(found.read / read, 1, 0.02) << what;
      EXPECT_NEAR(found.written / written, 1, 0.02) << what;
    }
}

TEST(cpu_work, has_the_bytes_that_pass_through_images) {
  auto const direct = transposition(4096, 4096, 4);
  EXPECT_EQ(work(direct).image_bytes, 0);
  EXPECT_EQ(work(direct, {}).image_bytes, 2 * kMatrix);                        // transpose_image
  EXPECT_EQ(work(transposition(8192, 8192, 1), {}).image_bytes, 4 * kMatrix);  // transpose_staged, with its stage
  EXPECT_EQ(work(transposition(512, 512, 4), {}).image_bytes, 0);              // transpose_cached
}

TEST(cpu_work, has_the_stores_that_pass_the_caches) {
  EXPECT_TRUE(work(transposition(4096, 4096, 4)).streams);
  EXPECT_FALSE(work(transposition(512, 512, 4)).streams);
}

/// A vector of 16 elements is loaded, shuffled four times and stored. A unit that is copied is loaded and stored.
TEST(cpu_work, has_the_instructions_of_vectors_and_of_units) {
  EXPECT_EQ(work(transposition(4096, 4096, 4)).instructions, 6 * kMatrix / 64);
  EXPECT_EQ(work(transposition(4096, 2048, 8)).instructions, 5 * kMatrix / 64);
  EXPECT_EQ(cpu_work_of_copy(std::int64_t(kMatrix), kZen4).instructions, 2 * kMatrix / 64);
  EXPECT_EQ(work(canonical({.modes = {{1000, 100, 50}}, .element_size = 4})).instructions, 2 * 1000);  // gaps on both sides
}

/// Each tile reads a run of every row.
TEST(cpu_work, has_the_runs_of_the_source) {
  auto const p = transposition(4096, 4096, 4);
  auto const tile = plan_cpu(p, kZen4).tile;
  ASSERT_TRUE(4096 % tile.rows == 0 && 4096 % tile.columns == 0);
  EXPECT_EQ(work(p).source_runs, 4096.0 * 4096 / double(tile.columns));
}

TEST(cpu_work, has_the_lines_that_are_joined_because_rows_begin_within_them) {
  EXPECT_EQ(work(transposition(4096, 4096, 4)).joined_bytes, 0);
  EXPECT_EQ(work(transposition(4095, 4096, 4)).joined_bytes, 4095 * 4096 * 4);
}

TEST(cpu_work, has_the_bytes_that_change_and_that_beta_reads) {
  double const elements = 4096.0 * 4096;
  for (double const beta : {0.0, 2.0}) {
    auto const found = work(transposition(4096, 4096, {element_type::f32, element_type::bf16, 1.0, beta}));
    EXPECT_EQ(found.changed_bytes, 6 * elements);
    EXPECT_EQ(found.written, 2 * elements);
    EXPECT_EQ(found.read, (beta ? 6 : 4) * elements);
  }
}

/// Images of 100 x 100 pixels whose bytes become floats in planes, by way of an image in one of both orders.
TEST(cpu_work, has_the_bytes_of_boxes) {
  double const elements = 64 * 100 * 100 * 3.0;
  auto const p = canonical(permutation(numbers{64, 10000, 3}, {}, numbers{0, 2, 1}, {element_type::u8, element_type::f32, 0.5}));
  auto const plan = plan_cpu_convert(p, kZen4);
  auto const found = work_of(plan);
  EXPECT_EQ(found.read, elements);
  EXPECT_EQ(found.written, 4 * elements);
  EXPECT_EQ(found.changed_bytes, 5 * elements);
  auto const through_image = plan.order == change_order::first ? 4 : 1;
  EXPECT_GE(found.image_bytes, 2 * through_image * elements);
  EXPECT_LE(found.image_bytes, (2 * through_image + 8) * elements);  // and through the permutation's image
}

TEST(cpu_work, takes_longer_for_larger_arrays_and_on_fewer_threads) {
  for (std::int64_t const size : {1, 4, 16}) {
    double before = 0;
    for (std::int64_t side = 1; side <= 1 << 14; side *= 2) {
      auto const seconds = seconds_of(work(transposition(side, side, size)), kZen4Rates);
      EXPECT_GT(seconds, before) << side << " elements of " << size;
      before = seconds;
    }
  }
  auto one = work(transposition(8192, 8192, 4));
  auto two = one, many = one;
  one.threads = 1, two.threads = 2, many.threads = 64;
  EXPECT_GT(seconds_of(one, kZen4Rates), seconds_of(two, kZen4Rates));
  EXPECT_EQ(seconds_of(many, kZen4Rates), seconds_of(two, kZen4Rates));  // more were not measured
}

/// Ordinary stores past the caches fetch each line first.
TEST(cpu_work, takes_longer_past_the_caches) {
  auto rates = kZen4Rates;
  rates.cached_bytes = 100, rates.memory_bytes_per_second = 1, rates.cached_bytes_per_second = 10;
  EXPECT_DOUBLE_EQ(seconds_of({.read = 50, .written = 50}, rates), 10);
  EXPECT_DOUBLE_EQ(seconds_of({.read = 50, .written = 50, .streams = true}, rates), 5 + 50);
  EXPECT_DOUBLE_EQ(seconds_of({.read = 60, .written = 50}, rates), 60 + 2 * 50);
  EXPECT_DOUBLE_EQ(seconds_of({.read = 60, .written = 50, .streams = true}, rates), 60 + 50);
}

}  // namespace
}  // namespace cornerturn
