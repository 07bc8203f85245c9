#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <variant>
#include <vector>

#include "engine/cpu/cpu.hpp"
#include "engine/host/host.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"
#include "support/special_numbers.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn::test {

/// Bytes behind the destination of `check_ways_run_by`, which no way may write.
constexpr std::size_t kWaysGuard = 64;

/// Checks that each of ways(canonical, alignment), which run(steps, memory) runs, writes what the definition says and nothing
/// else, with both arrays some bytes off a vector.
template <class Run, class Ways>
void check_ways_run_by(Run const& run, problem const& p, std::size_t source_shift, std::size_t destination_shift,
                       Ways const& ways) {
  byte_range const read = source_range(p), written = destination_range(p);
  ASSERT_TRUE(read.low >= 0 && written.low >= 0) << to_string(p);

  auto const source = numbered_source(p, read.high, source_shift);
  std::vector<std::byte> expected(std::size_t(written.high) + destination_shift + kWaysGuard, std::byte{0xEE});
  if (p.operation) mix_in_special_numbers(p.operation->destination, std::span(expected).subspan(destination_shift));
  auto const untouched = expected;
  permute_plainly(p, source.data() + source_shift, expected.data() + destination_shift);
  unify_nans(p, expected.data() + destination_shift);

  auto result = untouched;
  auto const* const from = source.data() + source_shift;
  auto* const to = result.data() + destination_shift;
  for (auto const& way : ways(canonical(p), alignment_of(from, to))) {
    std::ranges::copy(untouched, result.begin());
    run_with_workspace(way, {from, to}, run);
    unify_nans(p, to);
    if (result == expected) continue;
    auto const wrong = std::ranges::mismatch(expected, result).in1 - expected.begin();
    FAIL() << to_string(p) << "\n"
           << describe(way) << "\nfirst wrong byte " << wrong - static_cast<std::ptrdiff_t>(destination_shift);
  }
}

/// `check_ways_run_by` the host executor.
template <class Ways>
void check_ways(problem const& p, std::size_t source_shift, std::size_t destination_shift, Ways const& ways) {
  auto const run = [](std::span<step const> steps, plan_memory const& memory) { host::run(steps, memory); };
  check_ways_run_by(run, p, source_shift, destination_shift, ways);
}

/// `check_ways_run_by` the CPU engine, which needs no host executor.
template <class Ways>
void check_ways_on_cpu(problem const& p, std::size_t source_shift, std::size_t destination_shift, Ways const& ways) {
  auto const run = [](std::span<step const> steps, plan_memory const& memory) { cpu::run(steps, memory); };
  check_ways_run_by(run, p, source_shift, destination_shift, ways);
}

/// `check_ways` of random problems of up to five modes, with views of any strides.
template <class Ways>
void check_ways_on_random_problems(Ways const& ways) {
  for_each_seed(150, [&](unsigned seed) {
    std::mt19937 generator(seed);
    auto const p = random_problem(seed, {.rank = 5, .extent = 4 + std::int64_t(generator() % 12), .zero_extents = false});
    if (source_range(p).high > 400'000 || destination_range(p).high > 400'000) return;
    auto const size = std::size_t(canonical(p).element_size.source);
    check_ways(p, size * (generator() % 4), size * (generator() % 4), ways);
  });
}

/// True if the first candidate for a permutation of a dense array is a plan of this type.
template <class Plan>
bool is_first_candidate(std::vector<std::int64_t> const& shape, std::vector<std::int64_t> const& axes, std::int64_t size) {
  auto const found = candidates_of(canonical(permutation(shape, {}, axes, size)), {});
  return std::holds_alternative<Plan>(found.front().steps.front().kernel);
}

}  // namespace cornerturn::test
