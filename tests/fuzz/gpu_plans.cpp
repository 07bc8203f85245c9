#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "fuzz/gpu_problems.hpp"
#include "inplace/plan.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/special_numbers.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn::fuzz {
namespace {

/// Bytes of an array and, of each candidate, blocks: blocks run one after another, with hundreds of threads each.
constexpr std::int64_t kMostMoved = 128'000, kMostBlocks = 64;

constexpr std::size_t kGuard = 64;  ///< bytes after an array, which no kernel may write

bool is_kernel(step const& each) {
  return !std::holds_alternative<transfer>(each.kernel) && !std::holds_alternative<clearing>(each.kernel);
}

bool has_few_blocks(candidate const& way) {
  return std::ranges::all_of(way.steps, [](step const& each) {
    return !is_kernel(each) || with_kernel(each, [](auto const& plan) {
      if constexpr (requires { plan.blocks; })
        return plan.blocks <= kMostBlocks;
      else if constexpr (requires { plan.job.tiles; })
        return plan.job.tiles <= kMostBlocks;
      else
        return true;
    });
  });
}

void count(candidate const& way, decision_counts& counts) {
  for (auto const& each : way.steps)
    if (is_kernel(each)) {
      auto const decided = decisions_of(each);
      counts.add(decided.family, decided.values);
    }
}

/// The bytes that an array begins after a vector; its elements are aligned.
std::int64_t random_shift(random_source& random, std::int64_t element_size) {
  return random.one_in(2) ? 0 : element_size * random.between(0, 15) % 16;
}

/// What is drawn for the candidates of one problem: the arrays before and after, with what lies beside them.
struct moved_bytes {
  problem const& p;
  std::vector<std::byte> before, expected;
  std::size_t shift;  ///< bytes before the destination
};

/// Runs each candidate from the state before, in `result`, and compares all bytes.
std::string check_ways(moved_bytes const& bytes, std::vector<candidate> const& ways, void const* source,
                       std::vector<std::byte>& result, decision_counts& counts) {
  auto* const destination = result.data() + bytes.shift;
  for (auto const& way : ways) {
    if (!has_few_blocks(way)) continue;
    std::ranges::copy(bytes.before, result.begin());
    bool const is_kept = test::keeps_to_workspace(way, {.source = source, .destination = destination},
                                                  [](auto const& steps, plan_memory const& in) { host::run(steps, in); });
    test::unify_nans(bytes.p, destination);
    count(way, counts);
    if (!is_kept) return fmt::format("a byte after the workspace was written by {}", describe(way));
    if (result != bytes.expected) {
      auto const wrong = std::ranges::mismatch(bytes.expected, result).in1 - bytes.expected.begin();
      return fmt::format("byte {} of {} is wrong by {}", wrong - std::ptrdiff_t(bytes.shift), to_string(bytes.p), describe(way));
    }
  }
  return {};
}

bool is_small(problem const& p) { return source_range(p).high <= kMostMoved && destination_range(p).high <= kMostMoved; }

std::string check_candidates(problem const& p, random_source& random, decision_counts& counts) {
  if (!is_small(p)) return {};
  bool const is_shifted = random.one_in(3);
  auto const shift = [&](std::int64_t size) { return std::size_t(is_shifted ? random_shift(random, size) : 0); };
  auto const from = shift(p.element_size.source), to = shift(p.element_size.destination);
  auto const source = test::numbered_source(p, source_range(p).high, from);
  moved_bytes bytes{p, std::vector<std::byte>(std::size_t(destination_range(p).high) + to + kGuard, arena::kFilled), {}, to};
  if (p.operation) test::mix_in_special_numbers(p.operation->destination, std::span(bytes.before).subspan(to));
  bytes.expected = bytes.before;
  test::permute_plainly(p, source.data() + from, bytes.expected.data() + to);
  test::unify_nans(p, bytes.expected.data() + to);
  auto const simplest = canonical(p);
  if (bytes_of(simplest) == 0) return {};
  auto result = bytes.before;
  auto const aligned = alignment_of(source.data() + from, result.data() + to);
  return check_ways(bytes, candidates_of(simplest, aligned, random_gpu(random)), source.data() + from, result, counts);
}

}  // namespace

std::string check_gpu(random_source& random, memories&, std::string_view, decision_counts& counts) {
  return check_candidates(random_gpu_copy(random), random, counts);
}

std::string check_gpu_change(random_source& random, memories&, std::string_view, decision_counts& counts) {
  return check_candidates(random_gpu_change(random), random, counts);
}

std::string check_gpu_inplace(random_source& random, memories&, std::string_view, decision_counts& counts) {
  auto const given = random_gpu_inplace(random);
  auto const p = permutation(given.shape, {}, given.axes, given.element_size);
  auto const simplest = canonical(p);
  if (bytes_of(p) == 0 || std::ranges::all_of(simplest.modes, stays)) return {};
  auto const shift = std::size_t(random_shift(random, given.element_size));
  auto const before = test::numbered(bytes_of(p) + std::int64_t(shift + kGuard));
  moved_bytes bytes{p, before, before, shift};
  test::permute_plainly(p, before.data() + shift, bytes.expected.data() + shift);
  auto result = before;
  auto const aligned = alignment_of(result.data() + shift, result.data() + shift);
  return check_ways(bytes, inplace_candidates_of(simplest, aligned, random_gpu(random)), nullptr, result, counts);
}

}  // namespace cornerturn::fuzz
