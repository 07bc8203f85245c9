#include "engine/cpu/cpu.hpp"

#include <gtest/gtest.h>

#include <cstddef>

#include "engine/cpu/threads.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// Checks that the engine writes what the definition says and nothing else, with both arrays `misalignment` bytes off.
void check(problem const& p, std::size_t misalignment) {
  constexpr std::size_t kGuard = 64;
  byte_range const read = source_range(p), written = destination_range(p);
  ASSERT_TRUE(read.low >= 0 && written.low >= 0) << to_string(p);

  // A period of 251 is no multiple of any element or row, so that a wrong element shows.
  std::vector<std::byte> source(read.high + misalignment);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>((i + i / 251 * 7) % 251);
  std::vector<std::byte> expected(written.high + misalignment + kGuard, std::byte{0xEE}), result = expected;

  test::permute_plainly(p, source.data() + misalignment, expected.data() + misalignment);
  cpu::permute(canonical(p), source.data() + misalignment, result.data() + misalignment);
  auto const wrong = std::ranges::mismatch(expected, result).in1 - expected.begin();
  ASSERT_TRUE(result == expected) << to_string(p) << ", first wrong byte " << wrong - static_cast<std::ptrdiff_t>(misalignment);
}

TEST(cpu, follows_the_definition_on_random_problems) {
  test::for_each_seed(3000, [](unsigned seed) {
    problem const p = test::random_problem(seed, {.rank = 5, .extent = 7});
    check(p, seed % 4);
  });
}

TEST(cpu, follows_the_definition_on_problems_larger_than_a_tile) {
  test::for_each_seed(100, [](unsigned seed) {
    problem const p = test::random_problem(seed, {.rank = 3, .extent = 150, .zero_extents = false});
    if (destination_range(p).high > 40'000'000 || source_range(p).high > 40'000'000) return;
    check(p, seed % 4);
  });
}

TEST(cpu, transposes_every_size_of_matrix_and_element) {
  std::int64_t const extents[] = {0, 1, 2, 16, 17, 83, 163, 256, 257}, axes[] = {1, 0};
  for (std::int64_t size : {1, 2, 3, 4, 6, 8, 12, 16, 20, 40, 100}) {
    for (std::int64_t rows : extents) {
      for (std::int64_t cols : extents) {
        std::int64_t const shape[] = {rows, cols};
        problem const p = permutation(shape, dense_strides(shape, storage_order::c), axes, size);
        ASSERT_NO_FATAL_FAILURE(check(p, 1));
      }
    }
  }
}

TEST(cpu, transposes_skinny_matrices) {
  std::int64_t const axes[] = {1, 0};
  for (auto [rows, cols] :
       {std::pair<std::int64_t, std::int64_t>{210'000, 1}, {1, 210'000}, {210'000, 3}, {3, 210'000}, {2, 99'999}}) {
    std::int64_t const shape[] = {rows, cols};
    problem const p = permutation(shape, dense_strides(shape, storage_order::c), axes, 4);
    ASSERT_NO_FATAL_FAILURE(check(p, 0));
  }
}

TEST(cpu, tells_its_progress) {
  cpu::set_thread_count(2);
  std::int64_t const axes[] = {1, 0};
  for (std::int64_t rows : {1, 4096}) {
    std::int64_t const shape[] = {rows, (std::int64_t{100} << 20) / rows};
    problem const p = canonical(permutation(shape, dense_strides(shape, storage_order::c), axes, 1));
    std::vector<std::byte> source(100 << 20), destination(100 << 20);
    for (std::size_t i = 0; i < source.size(); i += 4096) source[i] = static_cast<std::byte>(i / 4096 % 251);
    std::vector<double> told;
    cpu::permute(p, source.data(), destination.data(), [&](double share) { told.push_back(share); });
    EXPECT_GE(told.size(), 5u) << to_string(p);
    EXPECT_TRUE(std::ranges::is_sorted(told)) << to_string(p);
    EXPECT_EQ(told.back(), 1) << to_string(p);
    EXPECT_TRUE(rows > 1 || destination == source);
  }
  cpu::set_thread_count(0);
}

TEST(cpu, lets_the_caller_break_off) {
  std::int64_t const shape[] = {8192, 8192}, axes[] = {1, 0};
  problem const p = canonical(permutation(shape, dense_strides(shape, storage_order::c), axes, 1));
  std::vector<std::byte> source(64 << 20), destination(64 << 20);
  EXPECT_THROW(cpu::permute(p, source.data(), destination.data(), [](double) { throw 1; }), int);
}

}  // namespace
}  // namespace cornerturn
