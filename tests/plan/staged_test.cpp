#include "plan/staged.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

#include "engine/host/host.hpp"
#include "plan/pipeline.hpp"
#include "problem/canonical.hpp"
#include "problem/element_types.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/random_operation.hpp"
#include "support/random_problem.hpp"
#include "support/seeds.hpp"

namespace cornerturn {
namespace {

constexpr std::size_t kAlignment = 16, kGuard = 64;

/// Memory for a piece's plan, aligned as CUDA's is to at least 16 bytes, with a guard behind it.
class guarded_buffer {
 public:
  explicit guarded_buffer(std::int64_t bytes) : bytes_(std::size_t(bytes)), units_(bytes_ / kAlignment + 1 + kGuard) {}
  void* data() { return units_.data(); }
  bool guard_is_whole() const {
    auto const* const first = reinterpret_cast<std::byte const*>(units_.data());
    return std::all_of(first + bytes_, first + units_.size() * kAlignment, [](std::byte each) { return each == std::byte{}; });
  }

 private:
  struct alignas(kAlignment) unit {
    std::byte bytes[kAlignment];
  };
  std::size_t bytes_;
  std::vector<unit> units_;
};

struct slot {
  explicit slot(piece const& largest) : workspace(staged_bytes(largest)), staging(staged_bytes(largest)) {}
  ~slot() { EXPECT_TRUE(workspace.guard_is_whole() && staging.guard_is_whole()); }
  guarded_buffer workspace, staging;
  candidate plan;
};

/// Runs the steps of all pieces on the host executor.
void run_staged(problem const& p, std::int64_t most_bytes, void const* source, void* destination) {
  staged_planner planner(h200_model(), {});
  auto const run = [&](std::span<step const> steps, slot& in) {
    host::run(steps, {source, destination, in.workspace.data(), in.staging.data()});
  };
  run_pipeline<slot>(
      pieces_of(p, most_bytes), 2,
      [&](piece const& each, slot& in) {
        in.plan = planner.plan(each);
        run(pack_steps(in.plan), in);
      },
      [&](piece const&, slot& in) { run(move_steps(in.plan), in); },
      [&](piece const&, slot& in) { run(unpack_steps(in.plan), in); });
}

/// Runs the steps of a problem in pieces, and compares the result with the definition.
void check_staged(problem const& p, unsigned pieces) {
  auto const read = source_range(p), written = destination_range(p);
  if (written.high > 1 << 13 || read.high > 1 << 13) return;
  auto const source = test::numbered(read.high + 1);
  std::vector<std::byte> expected(std::size_t(written.high) + kGuard, std::byte{0xEE});
  auto result = expected;
  test::permute_plainly(p, source.data(), expected.data());
  run_staged(canonical(p), written.high / pieces + 1, source.data(), result.data());
  test::unify_nans(p, expected.data()), test::unify_nans(p, result.data());
  ASSERT_TRUE(result == expected) << to_string(p);
}

TEST(staged, steps_follow_the_definition_on_random_problems) {
  test::for_each_seed(100,
                      [](unsigned seed) { check_staged(test::random_problem(seed, {.rank = 4, .extent = 6}), 1 + seed % 5); });
}

TEST(staged, steps_change_elements) {
  test::for_each_seed(100, [](unsigned seed) {
    std::mt19937 generator(seed);
    auto operation = test::random_operation(generator);
    operation.beta = 0;
    auto const p = test::random_problem(seed, {.rank = 4, .extent = 6, .zero_extents = false});
    check_staged(with_operation(p, operation), 1 + seed % 5);
  });
}

TEST(staged, plan_describes_its_steps_and_its_buffers) {
  auto const p = canonical(permutation(std::vector<std::int64_t>{64, 48}, {}, std::vector<std::int64_t>{1, 0}, 4));
  auto const plan = staged_planner(h200_model(), {}).plan(pieces_of(p, 1 << 20)[0]);
  ASSERT_EQ(plan.steps.size(), 5u);
  EXPECT_EQ(plan.workspace_bytes, 2 * 64 * 48 * 4);
  EXPECT_EQ(plan.staging_bytes, plan.workspace_bytes);
  auto const text = describe(plan);
  EXPECT_NE(text.find("; then copy of 12288 bytes to the device; then " + describe(plan.steps[2]) +
                      "; then copy of 12288 bytes to the host; then "),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("; workspace of 24576 bytes; staging of 24576 bytes")) << text;
}

}  // namespace
}  // namespace cornerturn
