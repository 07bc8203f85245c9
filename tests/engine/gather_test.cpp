#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "engine/host/gather.hpp"
#include "plan/gather.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

/// Checks that the program writes what the definition says and nothing else, with both arrays some bytes off a vector.
void check(problem const& p, tile_wish const& wish, std::size_t source_shift, std::size_t destination_shift) {
  constexpr std::size_t kGuard = 64;
  byte_range const read = source_range(p), written = destination_range(p);
  ASSERT_TRUE(read.low >= 0 && written.low >= 0) << to_string(p);

  std::vector<std::byte> source(std::size_t(read.high) + source_shift);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>((i + i / 251 * 7) % 251);
  std::vector<std::byte> expected(std::size_t(written.high) + destination_shift + kGuard, std::byte{0xEE}), result = expected;

  auto const* const from = source.data() + source_shift;
  auto* const to = result.data() + destination_shift;
  test::permute_plainly(p, from, expected.data() + destination_shift);
  auto const aligned = alignment_of(from, to);
  auto const plan = plan_gather(refit_elements(canonical(p), aligned), aligned, wish);
  ASSERT_LE(plan.job.shared_bytes, 200 << 10) << describe(plan);
  host::run(plan, from, to);
  auto const wrong = std::ranges::mismatch(expected, result).in1 - expected.begin();
  ASSERT_TRUE(result == expected) << to_string(p) << "\n"
                                  << describe(plan) << "\nfirst wrong byte "
                                  << wrong - static_cast<std::ptrdiff_t>(destination_shift);
}

bool is_empty(problem const& p) {
  return std::ranges::any_of(p.modes, [](mode const& m) { return m.extent == 0; });
}

TEST(gather, follows_the_definition_on_random_problems) {
  auto const run = [](unsigned seed) {
    std::mt19937 generator(seed);
    auto const draw = [&](auto const&... options) {
      std::int64_t const all[] = {options...};
      return all[generator() % sizeof...(options)];
    };
    problem const p = test::random_problem(seed, {.rank = 6, .extent = draw(3, 5, 9, 20)});
    if (is_empty(p) || destination_range(p).high > 300'000 || source_range(p).high > 2'000'000) return;
    tile_wish const wish{draw(16, 64, 256), draw(16, 64, 256, 512), draw(256, 4096, 16384)};
    check(p, wish, std::size_t(draw(0, 0, 1, 4, 8)), std::size_t(draw(0, 0, 2, 4, 8, 5)));
  };
  test::for_each_seed(400, run, 8);
}

TEST(gather, rows_that_a_cut_leaves_off_a_unit) {
  check({.modes = {{400, 1, 1}, {3, 0, 400}}, .element_size = 1}, {32, 512, 4096}, 0, 1);
}

TEST(gather, rows_of_bytes_backwards_that_fill_no_square) {
  check({.modes = {{4, 1, 16}, {2, -25, 8}, {5, -5, 1}}, .element_size = 1, .source_offset = 45}, {64, 512, 16384}, 0, 0);
}

}  // namespace
}  // namespace cornerturn
