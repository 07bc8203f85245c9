#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/cpu/threads.hpp"
#include "engine/cpu/tiles.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/guarded.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

std::vector<std::byte> numbered(std::int64_t bytes) {
  std::vector<std::byte> result(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = static_cast<std::byte>((i + i / 251 * 7) % 251);
  return result;
}

/// Moves a problem in so many shares, one after another, between arrays that end or begin at a page that must not be touched.
void check(problem const& p, int shares, bool streams, test::guarded::beside where) {
  auto const filled = numbered(source_range(p).high);
  auto const written = std::size_t(destination_range(p).high);
  if (written == 0) return;
  test::guarded const source(filled.size(), where), destination(written, where);
  std::ranges::copy(filled, source.data());
  std::vector<std::byte> expected(written, std::byte{0xEE});
  std::ranges::copy(expected, destination.data());
  test::permute_plainly(p, source.data(), expected.data());

  auto const plan = plan_cpu(canonical(p));
  std::vector<std::byte> memory(std::size_t(plan.image_bytes()) + 64);
  auto* const image = memory.data() + (-reinterpret_cast<std::uintptr_t>(memory.data()) % 64);
  for (int i = 0; i < shares; ++i)
    cpu::move_tiles(plan, {.source = source.data(),
                           .destination = destination.data(),
                           .first = plan.tiles() * i / shares,
                           .end = plan.tiles() * (i + 1) / shares,
                           .image = image,
                           .streams = streams});
  auto const wrong = std::mismatch(expected.begin(), expected.end(), destination.data()).first - expected.begin();
  ASSERT_EQ(std::size_t(wrong), written) << to_string(p) << " in " << shares << " shares by " << describe(plan);
}

/// The instructions to test, by Highway's number.
class cpu_tiles : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

TEST_P(cpu_tiles, are_moved_by_the_instructions_asked_for) { EXPECT_EQ(cpu::instructions(), hwy::TargetName(GetParam())); }

TEST_P(cpu_tiles, follow_the_definition_on_random_problems) {
  test::for_each_seed(1500, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    auto const extent = draw(3, 5, 9, 20, 70, 300);
    auto const p = test::random_problem(seed, {.rank = extent < 9 ? 7 : extent < 70 ? 4 : 2, .extent = extent});
    if (destination_range(p).high > 3'000'000 || source_range(p).high > 3'000'000) return;
    check(p, int(draw(1, 1, 2, 5)), draw(0, 1), draw(0, 1) ? test::guarded::beside::first : test::guarded::beside::last);
  });
}

TEST_P(cpu_tiles, are_cut_from_large_matrices_anywhere) {
  for (std::int64_t const size : {1, 2, 4, 8, 16, 3, 12})
    for (auto const& [rows, columns] :
         {std::pair{1031, 1027}, {1024, 1024}, {3, 70'001}, {70'001, 3}, {50, 20'011}, {20'011, 50}})
      for (bool const streams : {false, true})
        check(permutation(std::vector<std::int64_t>{rows, columns}, {}, std::vector<std::int64_t>{1, 0}, size), 3, streams,
              test::guarded::beside::last);
}

std::vector<std::int64_t> targets() {
  auto result = hwy::SupportedAndGeneratedTargets();
  return {result.begin(), result.end()};
}

INSTANTIATE_TEST_SUITE_P(instructions, cpu_tiles, testing::ValuesIn(targets()),
                         [](auto const& target) { return hwy::TargetName(target.param); });

TEST(cpu_threads, do_what_one_does) {
  for (auto const& p : {permutation(std::vector<std::int64_t>{3001, 1999}, {}, std::vector<std::int64_t>{1, 0}, 4),
                        problem{.modes = {{9'000'001, 1, 1}}, .element_size = 1},
                        problem{.modes = {{1'000'000, 3, 1}, {3, 1, 1'000'000}}, .element_size = 2},
                        problem{.modes = {{2'000'000, 0, 2}, {2, 1, 1}}, .element_size = 16}}) {
    auto const source = numbered(source_range(p).high);
    std::vector<std::byte> expected(std::size_t(destination_range(p).high));
    test::permute_plainly(p, source.data(), expected.data());
    for (int threads = 1; threads <= 8; ++threads) {
      cpu::set_thread_count(threads);
      std::vector<std::byte> result(expected.size());
      cpu::permute(canonical(p), source.data(), result.data());
      EXPECT_TRUE(result == expected) << to_string(p) << " on " << threads << " threads";
    }
    cpu::set_thread_count(0);
  }
}

TEST(cpu_threads, stop_when_progress_throws) {
  std::vector<std::byte> source(64 << 20), destination(64 << 20);
  auto const p = permutation(std::vector<std::int64_t>{4096, 4096}, {}, std::vector<std::int64_t>{1, 0}, 4);
  cpu::set_thread_count(4);
  int told = 0;
  EXPECT_THROW(cpu::permute(canonical(p), source.data(), destination.data(),
                            [&](double) {
                              if (++told == 2) throw std::runtime_error("enough");
                            }),
               std::runtime_error);
  EXPECT_EQ(told, 2);
  cpu::set_thread_count(0);
}

}  // namespace
}  // namespace cornerturn
