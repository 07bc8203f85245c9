#include "plan/gpu_skinny.hpp"

#include <gtest/gtest.h>

#include "engine/host/host.hpp"
#include "kernel/boxes/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "plan/inplace.hpp"
#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/rectangles.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

/// A GPU whose clusters are so small that small arrays have many chunks.
gpu_model small_gpu(int cluster_blocks) {
  auto result = h200_model();
  result.limits.cluster_blocks = cluster_blocks;
  result.limits.shared_bytes_per_sm = 8192 + result.limits.reserved_shared_bytes;
  return result;
}

/// An exchange within an array as panels, with elements as large as the alignment allows.
panels stated(test::square_problem const& p, alignment const& aligned) {
  return panels_of(refit_elements(canonical(permutation(p.shape, {}, p.axes, p.element_size)), aligned)).value();
}

void check_skinny(test::square_problem const& p, std::size_t shift, gpu_model const& gpu) {
  test::check_inplace(p, shift, [&](std::byte* data, test::square_problem const&) {
    auto const aligned = alignment_of(data, data);
    auto const way = gpu_skinny(stated(p, aligned), aligned, gpu);
    ASSERT_TRUE(way) << to_string(permutation(p.shape, {}, p.axes, p.element_size));
    EXPECT_EQ(way->steps.size(), 2u);
    host::run(way->steps, {.destination = data});
  });
}

TEST(gpu_skinny, follows_the_definition) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const shorter : {2, 3, 8, 31, 64})
      for (std::int64_t const run : {1, 3}) {
        std::int64_t const longer = 90'000 / (shorter * size * run) / 48 * 48;
        if (longer < 144 || (test::kSlowed && shorter % 3)) continue;
        for (std::size_t const shift : {std::size_t(0), std::size_t(size)})
          for (auto const& [m, n] : {std::array{longer, shorter}, {shorter, longer}}) {
            check_skinny(test::rectangles_with(1, m, n, run, size), shift, small_gpu(8));
            if (testing::Test::HasFailure()) return;
          }
      }
}

TEST(gpu_skinny, moves_batches) {
  check_skinny(test::rectangles_with(3, 4800, 3, 1, 4), 0, small_gpu(2));
  check_skinny(test::rectangles_with(3, 3, 4800, 1, 4), 4, small_gpu(2));
}

/// Chunks of equal length must fill the longer side.
TEST(gpu_skinny, has_no_plan_without_a_divisor) {
  EXPECT_TRUE(gpu_skinny(stated({{1'000'000'000, 3}, {1, 0}, 4}, {}), {}, h200_model()));
  EXPECT_FALSE(gpu_skinny(stated({{1'000'000'007, 3}, {1, 0}, 4}, {}), {}, h200_model()));
}

TEST(gpu_boxes, follow_the_definition) {
  test::for_each_seed(test::kSlowed ? 30 : 100, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
    };
    auto const size = std::int64_t(1) << draw(0, 4), rows = draw(1, 30), columns = rows + draw(1, 10);
    test::square_problem const p{{draw(1, 3), rows, draw(1, 3), columns, draw(64, 300) / size + 1}, {0, 3, 2, 1, 4}, size};
    constexpr std::int64_t kMostRuns = 16 * 8192 / 64;  // a cluster has 64 bytes of each
    if (p.bytes() > 200'000 || rows * p.shape[2] == 1 || rows * p.shape[2] * columns > kMostRuns) return;
    test::check_inplace(p, seed % 2 ? std::size_t(size) : 0, [&](std::byte* data, test::square_problem const&) {
      auto const plan = plan_boxes(stated(p, alignment_of(data, data)), small_gpu(16));
      ASSERT_TRUE(plan);
      host::run(*plan, nullptr, data);
    });
  });
}

/// A box has at least 64 bytes of every run, and a cluster has a box.
TEST(gpu_boxes, have_parts_of_long_runs) {
  auto const runs_of = [](std::int64_t rows, std::int64_t bytes) {
    return plan_boxes(stated({{rows, 100, bytes}, {1, 0, 2}, 1}, {}), h200_model());
  };
  EXPECT_EQ(runs_of(3, 10'000)->part_bytes(), 512);
  EXPECT_EQ(runs_of(3, 80)->part_bytes(), 80);
  EXPECT_EQ(runs_of(500, 10'000)->part_bytes() % 64, 0);
  EXPECT_FALSE(runs_of(3, 32));
  EXPECT_FALSE(runs_of(1000, 10'000));
}

}  // namespace
}  // namespace cornerturn
