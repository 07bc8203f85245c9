#include "block/fibers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace cornerturn {
namespace {

using turns = std::vector<int>;

TEST(fibers, take_turns_in_order_between_barriers) {
  fiber_team team(3);
  turns seen;
  team.run([&] {
    for (int phase = 0; phase < 3; ++phase) {
      if (phase) team.yield();
      seen.push_back(10 * phase + team.current());
    }
  });
  EXPECT_EQ(team.count(), 3);
  EXPECT_EQ(seen, (turns{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(fibers, take_turns_backwards) {
  fiber_team team(3);
  turns seen;
  auto const body = [&] {
    seen.push_back(team.current());
    team.yield();
    seen.push_back(10 + team.current());
  };
  team.run(body, true);
  EXPECT_EQ(seen, (turns{2, 1, 0, 12, 11, 10}));
}

TEST(fibers, run_one_after_another_without_a_barrier) {
  fiber_team team(4);
  turns seen;
  team.run([&] {
    seen.push_back(team.current());
    seen.push_back(-team.current());
  });
  EXPECT_EQ(seen, (turns{0, 0, 1, -1, 2, -2, 3, -3}));
}

TEST(fibers, keep_their_locals_over_a_barrier) {
  fiber_team team(1024);  // the most that a block on a GPU has
  int wrong = 0;
  team.run([&] {
    int const mine = team.current();
    double volatile const kept[] = {mine + 0.25, mine + 0.5, mine + 0.75};
    team.yield();
    wrong += team.current() != mine || kept[0] != mine + 0.25 || kept[1] != mine + 0.5 || kept[2] != mine + 0.75;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(fibers, serve_one_run_after_another) {
  fiber_team team(3);
  turns seen;
  for (int run = 0; run < 3; ++run) {
    team.run([&, run] {
      if (run) team.yield();
      seen.push_back(10 * run + team.current());
    });
  }
  EXPECT_EQ(seen, (turns{0, 1, 2, 10, 11, 12, 20, 21, 22}));
}

TEST(fibers, of_two_teams_stay_apart) {
  fiber_team outer(2), inner(2);
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
  fiber_team team(3);
  try {
    team.run([&] {
      for (int left = barriers_of(team.current()); left > 0; --left) team.yield();
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
