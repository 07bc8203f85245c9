#include "block/fibers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace cornerturn {
namespace {

using turns = std::vector<int>;

TEST(fibers, take_turns_in_order_between_barriers) {
  fiber_group group(3);
  turns seen;
  group.run([&] {
    for (int phase = 0; phase < 3; ++phase) {
      if (phase) group.yield();
      seen.push_back(10 * phase + group.current());
    }
  });
  EXPECT_EQ(group.count(), 3);
  EXPECT_EQ(seen, (turns{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(fibers, take_turns_backwards) {
  fiber_group group(3);
  turns seen;
  auto const body = [&] {
    seen.push_back(group.current());
    group.yield();
    seen.push_back(10 + group.current());
  };
  group.run(body, true);
  EXPECT_EQ(seen, (turns{2, 1, 0, 12, 11, 10}));
}

TEST(fibers, run_one_after_another_without_a_barrier) {
  fiber_group group(4);
  turns seen;
  group.run([&] {
    seen.push_back(group.current());
    seen.push_back(-group.current());
  });
  EXPECT_EQ(seen, (turns{0, 0, 1, -1, 2, -2, 3, -3}));
}

TEST(fibers, keep_their_locals_over_a_barrier) {
  fiber_group group(1024);  // the most that a block on a GPU has
  int wrong = 0;
  group.run([&] {
    int const mine = group.current();
    double volatile const kept[] = {mine + 0.25, mine + 0.5, mine + 0.75};
    group.yield();
    wrong += group.current() != mine || kept[0] != mine + 0.25 || kept[1] != mine + 0.5 || kept[2] != mine + 0.75;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(fibers, serve_one_run_after_another) {
  fiber_group group(3);
  turns seen;
  for (int run = 0; run < 3; ++run) {
    group.run([&, run] {
      if (run) group.yield();
      seen.push_back(10 * run + group.current());
    });
  }
  EXPECT_EQ(seen, (turns{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(fibers, of_two_teams_stay_apart) {
  fiber_group outer(2), inner(2);
  turns seen;
  outer.run([&] {
    inner.run([&] {
      inner.yield();
      seen.push_back(10 * outer.current() + inner.current());
    });
    outer.yield();
  });
  EXPECT_EQ(seen, (turns{0, 1, 10, 11}));
}

void expect_divergence(auto const& barriers_of) {
  fiber_group group(3);
  try {
    group.run([&] {
      for (int left = barriers_of(group.current()); left > 0; --left) group.yield();
    });
    FAIL() << "nothing was thrown";
  } catch (std::logic_error const& e) {
    EXPECT_STREQ(e.what(), "a barrier that not every thread of the block reaches");
  }
}

TEST(fibers, must_all_reach_a_barrier) {
  expect_divergence([](int thread) { return thread == 1 ? 1 : 0; });
  expect_divergence([](int thread) { return thread == 2 ? 0 : 1; });
  expect_divergence([](int thread) { return thread == 0 ? 1 : 2; });
}

}  // namespace
}  // namespace cornerturn
