#include "cornerturn/threads.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include "cpu/parallel_for.hpp"
#include "cpu/tiles/tiles.hpp"
#include "engine/cpu/cpu.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/run_on_cpu.hpp"
#include "support/sanitized.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

using bytes = std::vector<std::byte>;

class cpu_threads : public testing::Test {
 protected:
  void TearDown() override { set_num_threads(0); }
};

problem transposed(std::int64_t rows, std::int64_t columns, std::int64_t size) {
  return permutation(std::vector{rows, columns}, {}, std::vector<std::int64_t>{1, 0}, size);
}

/// A problem that is large enough for several threads, its source, and its expected result.
struct large {
  problem const simplest = canonical(transposed(test::is_slowed() ? 301 : 1501, 1999, 4));
  bytes const source = test::numbered(source_range(simplest).high), expected = moved();

  bytes moved_by_engine() const {
    bytes result(source.size());
    test::run_on_cpu(simplest, source.data(), result.data());
    return result;
  }

 private:
  bytes moved() const {
    bytes result(source.size());
    test::permute_plainly(simplest, source.data(), result.data());
    return result;
  }
};

TEST_F(cpu_threads, do_what_one_does) {
  for (auto const& p : {transposed(3001, 1999, 4), problem{.modes = {{9'000'001, 1, 1}}, .element_size = 1},
                        problem{.modes = {{1'000'000, 3, 1}, {3, 1, 1'000'000}}, .element_size = 2},
                        problem{.modes = {{2'000'000, 0, 2}, {2, 1, 1}}, .element_size = 16}}) {
    auto const source = test::numbered(source_range(p).high);
    bytes expected(std::size_t(destination_range(p).high));
    test::permute_plainly(p, source.data(), expected.data());
    for (int const threads : test::is_slowed() ? std::vector{2, 7} : std::vector{1, 2, 3, 4, 5, 6, 7, 8}) {
      set_num_threads(threads);
      bytes result(expected.size());
      test::run_on_cpu(canonical(p), source.data(), result.data());
      EXPECT_TRUE(result == expected) << to_string(p) << " on " << threads << " threads";
    }
  }
}

TEST_F(cpu_threads, serve_many_callers_and_calls_within_calls) {
  large const p;
  set_num_threads(4);
  cpu::parallel_for(6, [&](int) { cpu::parallel_for(2, [&](int) { EXPECT_TRUE(p.moved_by_engine() == p.expected); }); });
  bool inner = false;
  bytes result(p.source.size());
  test::run_on_cpu(p.simplest, p.source.data(), result.data(), [&](double) { inner = p.moved_by_engine() == p.expected; });
  EXPECT_TRUE(inner && result == p.expected);
}

TEST_F(cpu_threads, serve_calls_by_those_who_are_told_of_progress) {
  large const inner;
  auto const p = canonical(transposed(2047, 4097, 4));
  auto const source = test::numbered(source_range(p).high);
  bytes expected(source.size()), result(source.size());
  test::permute_plainly(p, source.data(), expected.data());
  for (int const threads : {1, 2}) {
    set_num_threads(threads);
    int told = 0;
    std::ranges::fill(result, std::byte{});
    test::run_on_cpu(p, source.data(), result.data(), [&](double) {
      ++told;
      EXPECT_TRUE(inner.moved_by_engine() == inner.expected);
    });
    EXPECT_GT(told, threads == 1 ? 2 : 0);  // another thread moves most while this one tells
    EXPECT_TRUE(result == expected) << "on " << threads << " threads";
  }
}

TEST_F(cpu_threads, serve_a_child_after_fork) {
  if (test::is_slowed()) GTEST_SKIP() << test::kForkedThreads;
  large const p;
  set_num_threads(4);
  ASSERT_TRUE(p.moved_by_engine() == p.expected);
  auto const child = fork();
  if (child == 0) {
    alarm(600);  // ends a child that waits for threads that it does not have
    _exit(p.moved_by_engine() == p.expected ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(p.moved_by_engine() == p.expected);
}

TEST_F(cpu_threads, tell_their_progress) {
  set_num_threads(2);
  for (std::int64_t const rows : {1, 4096}) {
    auto const p = canonical(transposed(rows, (std::int64_t{100} << 20) / rows, 1));
    bytes source(100 << 20), destination(100 << 20);
    for (std::size_t i = 0; i < source.size(); i += 4096) source[i] = static_cast<std::byte>(i / 4096 % 251);
    std::vector<double> told;
    test::run_on_cpu(p, source.data(), destination.data(), [&](double share) { told.push_back(share); });
    EXPECT_GE(told.size(), 5u) << to_string(p);
    EXPECT_TRUE(std::ranges::is_sorted(told)) << to_string(p);
    EXPECT_EQ(told.back(), 1) << to_string(p);
    EXPECT_TRUE(rows > 1 || destination == source);
  }
}

/// To the workspace, which the engine allocates, and from there back to the order of the source.
TEST_F(cpu_threads, run_two_steps_with_one_progress) {
  auto const there = canonical(transposed(4096, 2048, 4)), back = canonical(transposed(2048, 4096, 4));
  auto const source = test::numbered(source_range(there).high);
  bytes destination(source.size());
  candidate const way{.steps = {{plan_cpu(there), {buffer_role::source}, {buffer_role::workspace}},
                                {plan_cpu(back), {buffer_role::workspace}, {buffer_role::destination}}},
                      .workspace_bytes = std::int64_t(source.size())};
  std::vector<double> told;
  cpu::run(way, {.source = source.data(), .destination = destination.data()}, [&](double share) { told.push_back(share); });
  EXPECT_TRUE(destination == source);
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_EQ(told.back(), 1);
  EXPECT_TRUE(std::ranges::find(told, 0.5) != told.end());
}

TEST_F(cpu_threads, stop_when_progress_throws) {
  bytes const source(64 << 20);
  bytes destination(64 << 20);
  for (int const threads : {1, 4}) {
    set_num_threads(threads);
    int told = 0;
    EXPECT_THROW(test::run_on_cpu(canonical(transposed(4096, 4096, 4)), source.data(), destination.data(),
                                  [&](double) {
                                    if (++told == 2) throw std::runtime_error("enough");
                                  }),
                 std::runtime_error);
    EXPECT_EQ(told, 2);
  }
}

TEST_F(cpu_threads, hand_their_want_of_memory_to_the_caller) {
  if (test::is_sanitized()) GTEST_SKIP() << "the sanitizer ends the process where an allocation fails";
  auto plan = plan_cpu(canonical(transposed(4096, 4096, 4)));
  plan.tile.batch = std::int64_t{1} << 40;  // no memory has room for such an image
  set_num_threads(4);
  bytes memory(8);
  EXPECT_THROW(cpu::run(plan, memory.data(), memory.data()), std::bad_alloc);
}

}  // namespace
}  // namespace cornerturn
