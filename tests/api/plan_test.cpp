#include "cornerturn/plan.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include "cornerturn/info.hpp"
#include "support/message.hpp"

namespace cornerturn {
namespace {

constexpr plan_options kOnCpu{.processor = processor::cpu};

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
  EXPECT_EQ(plan_permute({2, 3}, {1, 0}, 4, kOnCpu).describe(),
            "{3:2<-1, 2:1<-3} of 4 bytes on the CPU: tiles of 2 x 3 units of 4 bytes");
  EXPECT_EQ(plan_permute({2, 0}, {1, 0}, 4, kOnCpu).describe(), "nothing to move");
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
              plan_permute({2, 3}, {1, 0}, 4, {.processor = processor::cpu, .device = 0});
            }),
            "device is 0; it must be -1 here: the processor is cpu");
  EXPECT_EQ(message_of([] {
              plan({2, 3}, {3, 1}, {1}, 4);
            }),
            "destination_strides is (1); it must be 2 numbers, one for each mode");
  if (auto const why = info().gpu_problem; !why.empty()) {
    EXPECT_EQ(message_of([] {
                plan_permute({2, 3}, {1, 0}, 4, {.processor = processor::gpu});
              }),
              "processor is gpu; it must be cpu or automatic here: " + why);
    EXPECT_EQ(message_of([] { plan_permute({2, 3}, {1, 0}, 4, {.device = 3}); }), "device is 3; it must be -1 here: " + why);
  }
}

}  // namespace
}  // namespace cornerturn
