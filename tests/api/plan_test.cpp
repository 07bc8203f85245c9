#include "cornerturn/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cornerturn/cache.hpp"
#include "cornerturn/info.hpp"
#include "cornerturn/threads.hpp"
#include "cornerturn/worker_threads.hpp"
#include "plan/prepared.hpp"
#include "problem/canonical.hpp"
#include "problem/permuted.hpp"
#include "support/expect_work.hpp"
#include "support/fake_clock.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

constexpr plan_options kOnCpu{.processor = processor_kind::cpu};

using test::message_of;

TEST(plan_api, runs_again_and_again) {
  auto const turn = plan_permute({2, 3}, {1, 0}, sizeof(int), kOnCpu);
  auto const copy = turn;
  for (int const first : {0, 10}) {
    std::array<int, 6> source, result{};
    std::iota(source.begin(), source.end(), first);
    copy.run(source.data(), result.data());
    EXPECT_EQ(result, (std::array<int, 6>{first, first + 3, first + 1, first + 4, first + 2, first + 5}));
  }
}

TEST(plan_api, takes_layouts) {
  std::array<int, 4> const source{1, 2, 3, 4};
  std::array<int, 7> result{};
  plan({4}, {-1}, {2}, sizeof(int), kOnCpu).run(source.data() + 3, result.data());
  EXPECT_EQ(result, (std::array<int, 7>{4, 0, 3, 0, 2, 0, 1}));
}

/// The first step writes to a workspace, which the run allocates, and the second one reads it.
TEST(plan_api, has_the_workspace_that_its_steps_need) {
  using list = std::vector<std::int64_t>;
  auto const transposed = canonical(permutation(list{2, 3}, {}, list{1, 0}, 4)),
             copy = canonical(permutation(list{6}, {}, list{0}, 4));
  std::array<int, 6> const source{0, 1, 2, 3, 4, 5};
  std::array<int, 6> result{};
  candidate const steps{.steps = {{plan_cpu(copy), {buffer_role::source}, {buffer_role::workspace}},
                                  {plan_cpu(transposed), {buffer_role::workspace}, {buffer_role::destination}}},
                        .workspace_bytes = sizeof source};
  permutation_plan(
      std::make_shared<prepared_plan const>(prepared_plan{
          .simplest = transposed, .read = source_range(transposed), .written = destination_range(transposed), .chosen = steps}))
      .run(source.data(), result.data());
  EXPECT_EQ(result, (std::array{0, 3, 1, 4, 2, 5}));
}

TEST(plan_api, is_shared_by_threads) {
  constexpr int kSide = 100;
  auto const turn = plan_permute({kSide, kSide}, {1, 0}, sizeof(int), kOnCpu);
  std::vector<int> source(kSide * kSide);
  std::iota(source.begin(), source.end(), 0);
  std::vector<std::vector<int>> results(8, std::vector<int>(source.size()));
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) turn.run(source.data(), result.data());
    });
  for (auto& each : threads) each.join();
  for (auto const& result : results)
    for (int i = 0; i < kSide * kSide; ++i) ASSERT_EQ(result[std::size_t(i)], i % kSide * kSide + i / kSide);
}

TEST(plan_api, describes_itself) {
  test::scratch const folder;  // no choices of other programs
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  cache_clear();
  auto const said = plan_permute({2, 3}, {1, 0}, 4, kOnCpu).describe();
  EXPECT_TRUE(said.starts_with("shape (3, 2), byte strides (4, 12) to (8, 4), elements of 4 bytes on the CPU (")) << said;
  EXPECT_TRUE(said.ends_with("): transpose_image in tiles of 2 x 3 units of 4 bytes; estimated to be the fastest")) << said;
  EXPECT_EQ(plan_permute({2, 0}, {1, 0}, 4, kOnCpu).describe(), "nothing to move");
  unsetenv("CORNERTURN_CACHE_DIR");
}

TEST(plan_api, measures_on_the_cpu_in_time_and_remembers) {
  test::scratch const folder;
  setenv("CORNERTURN_CACHE_DIR", (folder / "").c_str(), 1);
  cache_clear();
  auto const planned = [](planning_effort effort) {
    return plan_permute({1500, 1300}, {1, 0}, 4, {.processor = processor_kind::cpu, .effort = effort});
  };
  std::string timed;
  {
    test::fake_clock const clock(1e-3);
    timed = planned(planning_effort::measure).describe();
    EXPECT_LT(clock.seconds(), 0.4);  // 0.3, and the last round
  }
  EXPECT_NE(timed.find(" us expected; the fastest of "), std::string::npos) << timed;
  cache_clear();  // as a new process
  auto const again = planned(planning_effort::estimate).describe();
  EXPECT_TRUE(again.ends_with("; measured before")) << again;
  auto const tiles = [](std::string const& text) { return text.substr(0, text.find(" bytes", text.find(" in tiles of "))); };
  EXPECT_EQ(tiles(again), tiles(timed));

  std::vector<int> source(1500 * 1300), result(source.size());
  std::iota(source.begin(), source.end(), 0);
  planned(planning_effort::estimate).run(source.data(), result.data());
  for (int i = 0; i < 1500 * 1300; ++i) ASSERT_EQ(result[std::size_t(i)], i % 1500 * 1300 + i / 1500);

  set_num_threads(num_threads() + 1);  // it holds for the number of threads
  EXPECT_EQ(planned(planning_effort::estimate).describe().find("measured before"), std::string::npos);
  set_num_threads(0);
  unsetenv("CORNERTURN_CACHE_DIR");
  cache_clear();
}

/// bench/cpu_calls.cpp measures its time.
TEST(plan_api, a_small_problem_needs_neither_planning_nor_threads) {
  std::array<float, 64> source{}, result;
  auto const turn = plan_permute({8, 8}, {1, 0}, sizeof(float), kOnCpu);
  int calls = 0;
  worker_threads const workers{.parallel_for = [&](int, std::function<void(int)> const&) { ++calls; }, .count = 8};
  auto const done = test::work_of([&] {
    turn.run(source.data(), result.data());
    turn.run_on(workers, source.data(), result.data());
  });
  EXPECT_EQ(done, planning_work{});
  EXPECT_EQ(calls, 0);
}

/// No estimate may begin to try things out, nor write tables of plans that it does not take. bench/cpu_calls.cpp measures the
/// time.
TEST(plan_api, is_estimated_with_little_work) {
  for (auto const& [shape, axes] :
       std::vector<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>>{{{8, 8}, {1, 0}},
                                                                                    {{16383, 16385}, {1, 0}},
                                                                                    {{256, 224, 224, 3}, {0, 3, 1, 2}},
                                                                                    {{48, 28, 28, 28, 48}, {4, 3, 2, 1, 0}}}) {
    auto const done = test::work_of([&] { plan_permute(shape, axes, 4, kOnCpu); });
    test::expect_work_within(done, {.tilings = 3, .offsets = 4'000}, fmt::format("{}", fmt::join(shape, "x")));
  }
}

TEST(plan_api, runs_nothing_where_there_is_nothing_to_move) { plan_permute({2, 0}, {1, 0}, 4, kOnCpu).run(nullptr, nullptr); }

TEST(plan_api, refuses_memory_it_is_not_for) {
  auto const turn = plan_permute({2, 3}, {1, 0}, sizeof(int), kOnCpu);
  std::array<int, 12> memory{};
  EXPECT_EQ(message_of([&] { turn.run(nullptr, memory.data()); }),
            "source is null; it must be an address, since there is something to move");
  EXPECT_EQ(message_of([&] { turn.run(memory.data(), nullptr); }),
            "destination is null; it must be an address, since there is something to move");
  EXPECT_NE(message_of([&] { turn.run(memory.data(), memory.data() + 5); }), "");
  EXPECT_EQ(message_of([&] { turn.run(memory.data(), memory.data() + 6); }), "");
}

TEST(plan_api, refuses_bad_options) {
  EXPECT_EQ(message_of([] {
              plan_permute({2, 3}, {1, 0}, 4, {.source_alignment = 12});
            }),
            "source_alignment is 12; it must be a power of two");
  EXPECT_EQ(message_of([] {
              plan_permute({2, 3}, {1, 0}, 4, {.destination_alignment = 0});
            }),
            "destination_alignment is 0; it must be a power of two");
  EXPECT_EQ(message_of([] {
              plan_permute({2, 3}, {1, 0}, 4, {.processor = processor_kind::cpu, .device = 0});
            }),
            "device is 0; it must be -1 here: the processor is cpu");
  EXPECT_EQ(message_of([] {
              plan({2, 3}, {3, 1}, {1}, 4);
            }),
            "destination_strides is (1); it must be 2 numbers, one for each mode");
  if (auto const why = info().gpu_problem; !why.empty()) {
    EXPECT_EQ(message_of([] {
                plan_permute({2, 3}, {1, 0}, 4, {.processor = processor_kind::gpu});
              }),
              "processor is gpu; it must be cpu or automatic here: " + why);
    EXPECT_EQ(message_of([] { plan_permute({2, 3}, {1, 0}, 4, {.device = 3}); }), "device is 3; it must be -1 here: " + why);
  }
}

}  // namespace
}  // namespace cornerturn
