#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/distributed.hpp"
#include "support/expect_work.hpp"
#include "support/guarded.hpp"
#include "support/sharded.hpp"
#include "support/thread_communicator.hpp"

namespace cornerturn::distributed {
namespace {

using bytes = std::vector<std::byte>;

/// A matrix whose rows are divided, to its transpose whose rows are divided. All boxes have the same shape.
description const kTranspose{{12, 16}, {1, 0}, {{4}, {0}}, {{4}, {0}}, 4};

bytes source_of(int rank) { return test::source_of(kTranspose).block_of(rank, 4, kTranspose.shape); }
bytes result_of(int rank) { return test::destination_of(kTranspose).block_of(rank, 4, kTranspose.shape); }

/// Expects that a call plans, and that the same call plans nothing when it is repeated.
void expect_planned_once(std::function<void()> const& call) {
  EXPECT_NE(test::work_of(call), planning_work{});
  EXPECT_EQ(test::work_of(call), planning_work{});
}

class plans_of_boxes : public testing::Test {
 protected:
  void SetUp() override { cache_clear(); }

  /// No call here may ask the plan cache of the process.
  void TearDown() override {
    auto const counted = cache_info();
    EXPECT_EQ(counted.hits + counted.misses + counted.entries, 0u);
  }

  rank_plan const plan{kTranspose, 1};
  bytes source = source_of(1), result = bytes(result_of(1).size()), buffer = bytes(std::size_t(plan.send_bytes()));
};

TEST_F(plans_of_boxes, are_planned_in_the_first_call) {
  expect_planned_once([&] { plan.pack(0, source.data(), buffer.data()); });
  expect_planned_once([&] { plan.unpack(0, buffer.data(), result.data()); });
  expect_planned_once([&] { plan.keep(source.data(), result.data()); });
  std::vector<bytes> blocks(3, result);
  void* const peers[] = {blocks[0].data(), blocks[1].data(), blocks[2].data()};
  expect_planned_once([&] { rank_plan(plan).in_runs().write(source.data(), result.data(), peers); });
}

TEST_F(plans_of_boxes, are_planned_in_the_first_run) {
  test::thread_job job(4);
  auto const thrown = job.run([&](communicator& ranks) {
    auto const from = source_of(ranks.rank()), wanted = result_of(ranks.rank());
    bytes to(wanted.size());
    auto const mine = distributed::plan(kTranspose, ranks);
    expect_planned_once([&] { mine.run(from.data(), to.data(), ranks); });
    EXPECT_EQ(to, wanted);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(4));
}

TEST_F(plans_of_boxes, have_one_plan_for_boxes_of_one_shape_and_for_copies_of_their_rank_plan) {
  auto const copy = plan;
  expect_planned_once([&] { plan.pack(0, source.data(), buffer.data()); });
  EXPECT_EQ(test::work_of([&] { copy.pack(1, source.data(), buffer.data()); }), planning_work{});
}

/// The CPU's plans do not depend on addresses.
TEST_F(plans_of_boxes, are_planned_again_for_another_limit_of_threads) {
  local_plan const all(kTranspose);
  std::mt19937 draw(1);
  std::set<int> planned;
  for (int const threads : {0, 1, 0, 2, 1, 0}) {
    std::deque<test::guarded> sources, results;
    std::vector<rank_memory> memory;
    for (int rank = 0; rank < 4; ++rank)
      memory.push_back(
          {sources.emplace_back(source_of(rank), draw).data(), results.emplace_back(bytes(result_of(rank).size()), draw).data()});
    auto const work = test::work_of([&] { all.run(memory, threads); });
    EXPECT_EQ(work != planning_work{}, planned.insert(threads).second) << threads;
    for (int rank = 0; rank < 4; ++rank) EXPECT_TRUE(results[std::size_t(rank)].holds(result_of(rank))) << rank;
  }
}

TEST_F(plans_of_boxes, may_be_first_called_by_several_threads) {
  std::vector<bytes> packed(4, buffer);
  std::vector<std::thread> threads;
  for (auto& each : packed)
    threads.emplace_back([&] {
      for (std::size_t send = 0; send < 3; ++send) plan.pack(send, source.data(), each.data());
    });
  for (auto& each : threads) each.join();
  rank_plan const other(kTranspose, 1);
  for (std::size_t send = 0; send < 3; ++send) other.pack(send, source.data(), buffer.data());
  EXPECT_EQ(packed, std::vector(4, buffer));
}

}  // namespace
}  // namespace cornerturn::distributed
