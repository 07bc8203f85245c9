#include "inplace/gpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/host/host.hpp"
#include "inplace/plan.hpp"
#include "kernel/boxes/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "problem/canonical.hpp"
#include "support/inplace.hpp"
#include "support/rectangles.hpp"
#include "support/seeds.hpp"
#include "support/slowed.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn {
namespace {

/// A GPU whose clusters are so small that small arrays have many chunks.
gpu_model small_gpu(int cluster_blocks) {
  auto result = h200_model();
  result.limits.cluster_blocks = cluster_blocks;
  result.limits.shared_bytes_per_sm = 8192 + result.limits.reserved_shared_bytes;
  return result;
}

/// An exchange within an array, with elements as large as the alignment allows.
placed_exchange stated(test::square_problem const& p, alignment const& aligned) {
  return exchange_of(refit_elements(canonical(permutation(p.shape, {}, p.axes, p.element_size)), aligned)).value();
}

/// Moves rectangles by every way that has chunks. Returns the number of those that save what remains.
int check_skinny(test::square_problem const& p, std::size_t shift, gpu_model const& gpu) {
  int with_rest = 0;
  test::check_inplace(p, shift, [&](std::byte* data, test::square_problem const&) {
    auto const aligned = alignment_of(data, data);
    auto const ways = gpu_skinny(stated(p, aligned), aligned, gpu, kAnyWorkspace);
    ASSERT_FALSE(ways.empty()) << to_string(permutation(p.shape, {}, p.axes, p.element_size));
    std::vector<std::byte> const before(data, data + p.bytes());
    for (auto const& each : ways) {
      std::ranges::copy(before, data);
      auto const way = with_copies(each, aligned, gpu).value();
      bool const has_rest = way.workspace_bytes > 0;
      with_rest += has_rest;
      EXPECT_EQ(way.steps.size(), has_rest ? 5u : 2u) << describe(way);
      test::run_with_workspace(way, {.destination = data},
                               [](auto const& steps, plan_memory const& memory) { host::run(steps, memory); });
    }
  });
  return with_rest;
}

TEST(gpu_skinny, follows_the_definition) {
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const shorter : {2, 3, 8, 31, 64})
      for (std::int64_t const run : {1, 3}) {
        std::int64_t const longer = 45'000 / (shorter * size * run) / 48 * 48;
        if (longer < 144 || (run > 1 && (size == 2 || size == 8)) || (test::is_slowed() && shorter % 3)) continue;
        for (std::size_t const shift : {std::size_t(0), std::size_t(size)})
          for (auto const& [m, n] : {std::array{longer, shorter}, {shorter, longer}}) {
            check_skinny(test::rectangles_with(1, m, n, run, size), shift, small_gpu(8));
            if (testing::Test::HasFailure()) return;
          }
      }
}

/// Longer sides that leave some indices over, whose rows begin with vectors or not.
TEST(gpu_skinny, follows_the_definition_with_a_rest) {
  int with_rest = 0;
  for (std::int64_t const size : {1, 2, 4, 8, 16})
    for (std::int64_t const shorter : {2, 3, 8, 20})
      for (std::int64_t const run : {1, 3})
        for (auto const& [factor, shift] : {std::array<std::int64_t, 2>{1, 0}, {16, 0}, {1, size}}) {
          std::int64_t const longer = factor * test::prime_from(70'000 / (shorter * size * run) / factor);
          if (longer < 256 || longer * size * run < 3 * shorter * kLeastBoxPart) continue;
          if ((run > 1 && (size == 2 || size == 8)) || (test::is_slowed() && shorter % 3)) continue;
          for (auto const& [m, n] : {std::array{longer, shorter}, {shorter, longer}}) {
            auto const p = test::rectangles_with(1, m, n, run, size);
            with_rest += check_skinny(p, std::size_t(shift), small_gpu(16));
            if (testing::Test::HasFailure()) return;
          }
        }
  EXPECT_GT(with_rest, test::is_slowed() ? 10 : 40);
  if (test::is_slowed()) return;
  EXPECT_GT(check_skinny(test::rectangles_with(1, 20'011, 16, 1, 4), 0, h200_model()), 0);
}

TEST(gpu_skinny, moves_batches) {
  for (std::int64_t const longer : {4800, 4799}) {
    check_skinny(test::rectangles_with(3, longer, 3, 1, 4), 0, small_gpu(2));
    check_skinny(test::rectangles_with(3, 3, longer, 1, 4), 4, small_gpu(2));
  }
}

/// Random skinny rectangles, as fuzz.
TEST(gpu_skinny, follows_the_definition_on_random_rectangles) {
  int with_rest = 0;
  test::for_each_seed(test::is_slowed() ? 20 : 40, [&](unsigned seed) {
    auto const p = test::random_skinny(seed, 70'000, 16);
    with_rest += check_skinny(p, seed % 3 ? 0 : std::size_t(p.element_size), small_gpu(16));
  });
  EXPECT_GT(with_rest, test::is_slowed() ? 1 : 5);
}

/// What no number of chunks divides is saved, if the workspace is large enough.
TEST(gpu_skinny, needs_a_workspace_for_what_remains_only) {
  auto const ways = [](std::int64_t longer, std::int64_t most_workspace) {
    return gpu_skinny(stated({{longer, 3}, {1, 0}, 4}, {}), {}, h200_model(), most_workspace);
  };
  EXPECT_EQ(ways(1'000'000'000, 0).size(), 1u);
  EXPECT_TRUE(ways(1'000'000'007, 0).empty());
  auto const prime = canonical(permutation({{1'000'000'007, 3}}, {}, {{1, 0}}, 4));
  auto const least = least_gpu_workspace(prime, {}, h200_model());
  ASSERT_TRUE(least);
  EXPECT_LT(*least, 1 << 20);
  EXPECT_EQ(ways(1'000'000'007, *least).size(), 1u);
  EXPECT_TRUE(ways(1'000'000'007, *least - 1).empty());
}

TEST(gpu_boxes, follow_the_definition) {
  test::for_each_seed(test::is_slowed() ? 30 : 100, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](std::int64_t low, std::int64_t high) {
      return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
    };
    auto const size = std::int64_t(1) << draw(0, 4), rows = draw(1, 30), columns = rows + draw(1, 10);
    test::square_problem const p{{draw(1, 3), rows, draw(1, 3), columns, draw(64, 300) / size + 1}, {0, 3, 2, 1, 4}, size};
    constexpr std::int64_t kMostRuns = 16 * ((8192 - 64) / 96);  // a cluster has 64 bytes of each, and room beside them
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
  EXPECT_EQ(runs_of(3, 10'001)->part_bytes(), 1024) << "longer parts have fewer units that they share";
  EXPECT_EQ(runs_of(500, 10'000)->part_bytes() % 64, 0);
  EXPECT_FALSE(runs_of(3, 32));
  EXPECT_FALSE(runs_of(1000, 10'000));
}

}  // namespace
}  // namespace cornerturn
