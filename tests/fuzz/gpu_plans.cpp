#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <variant>

#include "engine/host/host.hpp"
#include "fuzz/check.hpp"
#include "fuzz/problems.hpp"
#include "inplace/plan.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/random_operation.hpp"
#include "support/special_numbers.hpp"
#include "support/with_workspace.hpp"

namespace cornerturn::fuzz {
namespace {

/// Bytes of an array and, of each candidate, blocks: blocks run one after another, with hundreds of threads each.
constexpr std::int64_t kMostBytes = 16'000, kMostBlocks = 64;

constexpr std::size_t kGuard = 64;  ///< bytes after an array, which no kernel may write

/// A GPU that has little shared memory and small clusters or none, so that small arrays are cut as large ones are.
gpu_model random_gpu(random_source& random) {
  auto result = h200_model();
  if (random.one_in(2)) return result;
  result.small.blocks = double(random.one_of({0, 1, 4, 64}));
  result.limits.cluster_blocks = int(random.one_of({1, 2, 4, 8, 16}));
  result.limits.shared_bytes_per_sm = int(random.one_of({8, 16, 60, 100})) * 1024 + result.limits.reserved_shared_bytes;
  return result;
}

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

std::string check_candidates(problem const& p, random_source& random, decision_counts& counts) {
  auto const from = std::size_t(random_shift(random, p.element_size.source)),
             to = std::size_t(random_shift(random, p.element_size.destination));
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

/// Nine or ten modes of two elements in any order, which are more digits than a short job has.
problem random_digits(random_source& random, std::int64_t size) {
  std::vector<std::int64_t> const shape(std::size_t(random.between(9, 10)), 2);
  std::vector<std::int64_t> axes(shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  random.shuffle(axes);
  return permutation(shape, {}, axes, size);
}

/// Few rows and many columns, which tiles cut into runs that do not divide them. Mostly both are whole vectors.
problem random_cut_runs(random_source& random, std::int64_t size) {
  auto const vector = std::max<std::int64_t>(1, 16 / size);
  auto const any = [&] { return random.one_in(4) ? random.between(0, vector - 1) : 0; };
  auto const columns = vector * random.between(12, 48) + any();
  auto const most = std::max<std::int64_t>(1, kMostBytes / (columns * size * vector));
  auto const rows = vector * (random.one_in(2) ? most : random.between(1, most)) + any();
  return permutation(std::vector{rows, columns}, {}, std::vector<std::int64_t>{1, 0}, size);
}

/// Rows and columns of whole vectors, or of any length.
problem random_gpu_problem(random_source& random, std::int64_t size) {
  if (random.one_in(24)) return random_digits(random, size);
  if (random.one_in(8)) return random_cut_runs(random, size);
  auto const most = random.between(1, kMostBytes) / size + 1;
  if (random.one_in(6)) {  // structures of 2 to 8 elements, or rows of elements
    auto const fields = random.between(2, 8), elements = random.between(1, kMostBytes / size / fields + 1),
               grain = random.one_in(2) ? std::max<std::int64_t>(1, 16 / size) : 1;
    auto const rows = elements / grain * grain + grain;
    return permutation(random.one_in(2) ? std::vector{fields, rows} : std::vector{rows, fields}, {},
                       std::vector<std::int64_t>{1, 0}, size);
  }
  using enum shape_kind;
  auto p = random_problem(random, most, size, random.one_of({any, matrix, fields, shared}));
  if (!random.one_in(3)) return p;
  auto const vector = std::max<std::int64_t>(1, 16 / size);
  auto const rows = vector * random.between(1, 12),
             columns = vector * random.between(1, std::max<std::int64_t>(1, 12 / random.between(1, 4)));
  return permutation(std::vector<std::int64_t>{random.between(1, 3), rows, columns}, {}, std::vector<std::int64_t>{0, 2, 1},
                     size);
}

/// A matrix, or a square, whose sides are whole runs of 64 bytes and have a common divisor, as panels that exchange slots have.
dense_permutation random_inplace_of_runs(random_source& random) {
  auto const size = random.one_of<std::int64_t>({1, 2, 4, 8}), grain = random.between(2, 4) * 64 / size;
  auto const rows = grain * random.between(1, 3);
  auto const most = std::clamp<std::int64_t>(4 * kMostBytes / (rows * grain * size), 1, 4);
  return {.shape = {rows, grain * random.between(1, most)}, .axes = {1, 0}, .element_size = size};
}

bool is_small(problem const& p) { return source_range(p).high <= 8 * kMostBytes && destination_range(p).high <= 8 * kMostBytes; }

/// Rows of whole vectors, which stay together and whose elements have a scale or a bias.
problem random_scaled_rows(random_source& random) {
  element_operation operation{.source = element_type::u8, .destination = element_type::f32, .factor_strides = {1, 0, 0}};
  (random.one_in(2) ? operation.scale : operation.bias) = test::random_factors<float>().data();
  std::vector<std::int64_t> const shape{random.between(2, 8), random.between(2, 8), 16 * random.between(1, 8)};
  return with_operation(permutation(shape, {}, std::vector<std::int64_t>{1, 0, 2}, 1), operation);
}

/// Images of 3 or 4 bytes a pixel that become planes of floats, by a factor or by a scale and a bias for each plane.
problem random_pixels(random_source& random) {
  using enum element_type;
  std::int64_t const planes = random.between(3, 4), pixels = 16 * random.between(1, kMostBytes / 64);
  element_operation operation{.source = u8, .destination = random.one_of({f32, f16, bf16}), .alpha = random.one_of({1.0, 0.5})};
  if (random.one_in(2)) {
    operation.alpha = 1, operation.factor_strides = {planes, 1, 0};
    operation.scale = test::random_factors<float>().data();
    if (random.one_in(2)) operation.bias = test::random_factors<float>().data() + test::kFactors;
  }
  return with_operation(
      permutation(std::vector<std::int64_t>{random.between(1, 3), pixels, planes}, {}, std::vector<std::int64_t>{0, 2, 1}, 1),
      operation);
}

}  // namespace

std::string check_gpu(random_source& random, memories&, std::string_view, decision_counts& counts) {
  auto const p = random_gpu_problem(random, random_element_size(random));
  return is_small(p) ? check_candidates(p, random, counts) : "";
}

std::string check_gpu_change(random_source& random, memories&, std::string_view, decision_counts& counts) {
  if (random.one_in(4)) return check_candidates(random_pixels(random), random, counts);
  if (random.one_in(16)) return check_candidates(random_scaled_rows(random), random, counts);
  auto const drawn = random_gpu_problem(random, 1);
  auto const p = test::with_random_operation(drawn, random.generator32());
  bool const has_long_mode = std::ranges::any_of(p.modes, [](mode const& m) { return m.extent > 256; });
  if (!p.operation || !is_small(p) || (is_affine(*p.operation) && has_long_mode)) return {};
  return check_candidates(p, random, counts);
}

std::string check_gpu_inplace(random_source& random, memories&, std::string_view, decision_counts& counts) {
  auto const given =
      random.one_in(8) ? random_inplace_of_runs(random) : random_inplace(random, random.between(1, 4 * kMostBytes));
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
