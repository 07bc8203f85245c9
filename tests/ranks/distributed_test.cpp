#include "cornerturn/distributed.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <stdexcept>

#include "cornerturn/distributed_nccl.hpp"
#include "engine/gpu/gpu.hpp"
#include "support/guarded.hpp"
#include "support/random_description.hpp"
#include "support/sharded.hpp"
#include "support/thread_communicator.hpp"

namespace cornerturn::distributed {
namespace {

using test::thread_job;

description corner_turn(std::int64_t ranks, std::int64_t extent = 13) {
  return {.shape = {extent, extent - 2, 5},
          .axes = {1, 2, 0},
          .source = {.grid = {ranks}, .modes = {0}},
          .destination = {.grid = {ranks}, .modes = {0}},
          .element = 4};
}

/// What each rank throws; a wrong block counts as an exception.
std::vector<std::string> run(thread_job& job, description const& given) {
  return job.run([&](communicator& ranks) {
    auto const source = test::source_of(given).block_of(ranks.rank(), given.element.bytes(), given.shape);
    auto const reference = test::destination_of(given).block_of(ranks.rank(), given.element.bytes(), given.shape);
    auto const mine = plan(given, ranks);
    std::mt19937 draw(unsigned(source.size()) * 12 + unsigned(ranks.rank()));
    for (bool const own : {false, true}) {
      test::guarded const from(source, draw), to(std::vector<std::byte>(reference.size()), draw),
          workspace(std::vector<std::byte>(std::size_t(mine.workspace_bytes())), draw);
      mine.run(from.data(), to.data(), ranks, own ? workspace.data() : nullptr);
      if (!from.holds(source) || !to.holds(reference) || !workspace.is_whole()) throw std::logic_error("a wrong block");
    }
  });
}

TEST(distributed_run, moves_arrays_between_threads) {
  for (unsigned seed = 0; seed < 150 && !HasFailure(); ++seed) {
    auto const given = test::random_description(seed);
    thread_job job(test::ranks_of(given));
    EXPECT_EQ(run(job, given), std::vector<std::string>(test::ranks_of(given))) << "seed " << seed;
  }
}

TEST(distributed_run, packs_while_messages_are_on_their_way) {
  thread_job job(5);
  EXPECT_EQ(run(job, corner_turn(5)), std::vector<std::string>(5));
  EXPECT_EQ(job.most_pending, 4);  // all are sent before the first wait
}

TEST(distributed_run, moves_large_blocks_with_threads_of_their_own) {
  thread_job job(3);
  EXPECT_EQ(run(job, corner_turn(3, 700)), std::vector<std::string>(3));
}

TEST(distributed_run, moves_long_runs_to_their_places_and_from_them) {
  sharding const halves{{2}, {0}};
  for (auto const& shape :
       {std::vector<std::int64_t>{4100, 6, 64}, {6, 4100, 64}}) {  // runs of 524,800 bytes are received or sent
    description const given{shape, {1, 0, 2}, halves, halves, 4};
    auto const plan = rank_plan(given, 0).in_runs();
    ASSERT_EQ(plan.sends().size(), 3u);
    EXPECT_EQ(plan.send_bytes() > 0, plan.receive_bytes() == 0);
    thread_job job(2);
    EXPECT_EQ(run(job, given), std::vector<std::string>(2));
    EXPECT_EQ(job.most_pending, 3u);
  }
}

/// The error of a call that differs on rank 2 of 4, which all ranks get.
std::string error_of_all(std::function<void(description&)> const& change) {
  thread_job job(4);
  auto const thrown = job.run([&](communicator& ranks) {
    auto given = corner_turn(4);
    if (ranks.rank() == 2) change(given);
    std::vector<std::byte> source(13 * 11 * 5 * 4), destination(source.size());
    permute(source.data(), destination.data(), given, ranks);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(4, thrown[0]));
  return thrown[0];
}

TEST(distributed_run, ends_on_all_ranks_with_the_same_error) {
  EXPECT_EQ(error_of_all([](auto&) {}), "");
  EXPECT_EQ(error_of_all([](auto& d) {
              d.shape = {13, 11, 6};
            }),
            "shape differs between ranks; it must be the same on all ranks");
  EXPECT_EQ(error_of_all([](auto& d) { d.axes = {0, 2, 1}; }), "axes differs between ranks; it must be the same on all ranks");
  EXPECT_EQ(error_of_all([](auto& d) { d.element = 8; }), "element differs between ranks; it must be the same on all ranks");
  EXPECT_EQ(error_of_all([](auto& d) { d.source.modes = {1}; }),
            "source differs between ranks; it must be the same on all ranks");
  EXPECT_EQ(error_of_all([](auto& d) {
              d.destination.blocks = {{2, 3, 3, 3}, {}, {}};
            }),
            "destination differs between ranks; it must be the same on all ranks");
  EXPECT_EQ(error_of_all([](auto& d) {
              d.axes = {0, 0, 1};
            }),
            "on rank 2: axes is (0, 0, 1); it must be a permutation of 0 to 2 for an array of rank 3");
}

TEST(distributed_run, refuses_a_grid_of_another_number_of_ranks) {
  thread_job job(2);
  auto const thrown = job.run([&](communicator& ranks) { plan(corner_turn(3), ranks); });
  EXPECT_EQ(thrown,
            std::vector<std::string>(2, "on rank 0: the number of ranks of source.grid is 3; it must be 2, the number of ranks"));
}

TEST(distributed_run, refuses_pointers_before_anything_is_sent) {
  auto const thrown_with = [](bool overlap) {
    thread_job job(3);
    return job.run([&](communicator& ranks) {
      auto const mine = plan(corner_turn(3), ranks);
      std::vector<std::byte> source(13 * 11 * 5 * 4), destination(source.size(), std::byte(7));
      void const* from = ranks.rank() != 1 ? source.data() : overlap ? destination.data() + 4 : nullptr;
      try {
        mine.run(from, destination.data(), ranks);
      } catch (...) {
        EXPECT_EQ(destination, std::vector(source.size(), std::byte(7)));
        throw;
      }
    });
  };
  for (bool const overlap : {false, true}) {
    auto const thrown = thrown_with(overlap);
    EXPECT_EQ(thrown, std::vector<std::string>(3, thrown[0]));
    EXPECT_TRUE(thrown[0].starts_with(overlap ? "on rank 1: " : "on rank 1: source is null")) << thrown[0];
  }
}

TEST(distributed_run, refuses_plans_of_something_else) {
  thread_job job(2);
  auto const thrown = job.run([&](communicator& ranks) {
    rank_plan const mine(corner_turn(2, ranks.rank() == 1 ? 13 : 12), ranks.rank());
    std::vector<std::byte> source(13 * 11 * 5 * 4), destination(source.size());
    mine.run(source.data(), destination.data(), ranks);
  });
  EXPECT_EQ(thrown, std::vector<std::string>(2, "shape differs between ranks; it must be the same on all ranks"));
}

/// A communicator of which the second message fails.
class failing : public communicator {
 public:
  explicit failing(communicator& ranks) : ranks_(ranks) {}
  int rank() const override { return ranks_.rank(); }
  int size() const override { return ranks_.size(); }
  std::int64_t isend(void const* data, std::int64_t bytes, int peer) override {
    if (++sent_ == 2) throw std::runtime_error("the cable is cut");
    return ranks_.isend(data, bytes, peer);
  }
  std::int64_t irecv(void* data, std::int64_t bytes, int peer) override { return ranks_.irecv(data, bytes, peer); }
  void wait(std::int64_t request) override { ranks_.wait(request); }
  void all_min(std::span<std::int64_t> values) override { ranks_.all_min(values); }
  void abort(std::string_view reason) override { ranks_.abort(reason); }

 private:
  communicator& ranks_;
  int sent_ = 0;
};

TEST(distributed_run, ends_the_job_if_a_rank_fails_while_messages_are_on_their_way) {
  thread_job job(3);
  auto const thrown = job.run([&](communicator& ranks) {
    failing broken(ranks);
    std::vector<std::byte> source(13 * 11 * 5 * 4), destination(source.size());
    permute(source.data(), destination.data(), corner_turn(3), ranks.rank() == 1 ? broken : ranks);
  });
  EXPECT_EQ(thrown[1], "the cable is cut");
  EXPECT_TRUE(thrown[0].find("rank 1 failed: the cable is cut") != std::string::npos) << thrown[0];
  EXPECT_TRUE(thrown[2].find("rank 1 failed: the cable is cut") != std::string::npos) << thrown[2];
}

TEST(distributed_run, refuses_nccl_without_a_gpu_or_a_communicator) {
  thread_job job(1);
  auto const error_of = [&](void* nccl) {
    return job.run([&](communicator& host) { nccl_communicator(nccl, host, nullptr); })[0];
  };
  EXPECT_EQ(error_of(nullptr), "nccl is null; it must be an ncclComm_t");
  auto const why = gpu::why_unavailable();
  if (why.empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_EQ(error_of(&job), why);
}

}  // namespace
}  // namespace cornerturn::distributed
