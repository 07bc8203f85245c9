#include "block/recording.hpp"

#include <gtest/gtest.h>

#include "block/host.hpp"
#include "block/requests.hpp"

namespace cornerturn {
namespace {

TEST(recording, holds_every_access_in_the_order_of_the_threads) {
  std::uint32_t const source[8] = {10, 11, 12, 13, 14, 15, 16, 17};
  std::uint32_t destination[8] = {};
  recording record;
  host_block block(2, 64, &record);
  int first_line = 0;
  block.run(0, [&] {
    int const t = block.thread();
    std::uint32_t held[2];
    auto* const shared = block.shared<std::uint32_t, 16>();
    first_line = __LINE__ + 1;
    block.global_load<2>(&source[2 * t], held, true);
    block.shared_store<1>(&shared[4 * t + 1], held);
    block.sync();
    block.shared_load<1>(&shared[4 * (1 - t) + 1], held);
    block.global_store<2>(&destination[2 * t], held, true);
  });

  struct expected {
    int thread, line;
    memory_space space;
    bool store;
    std::uint64_t address;
    int bytes;
  };
  auto const at = [](void const* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  constexpr auto kGlobal = memory_space::global, kShared = memory_space::shared;
  expected const all[] = {{0, 0, kGlobal, false, at(&source[0]), 8},
                          {0, 1, kShared, true, 4, 4},
                          {1, 0, kGlobal, false, at(&source[2]), 8},
                          {1, 1, kShared, true, 20, 4},
                          {0, 3, kShared, false, 20, 4},
                          {0, 4, kGlobal, true, at(&destination[0]), 8},
                          {1, 3, kShared, false, 4, 4},
                          {1, 4, kGlobal, true, at(&destination[2]), 8}};
  ASSERT_EQ(record.accesses.size(), std::size(all));
  for (std::size_t i = 0; i < std::size(all); ++i) {
    auto const& each = record.accesses[i];
    EXPECT_EQ(each.thread, all[i].thread) << i;
    EXPECT_EQ(each.place, (source_place{__FILE__, first_line + all[i].line})) << i;
    EXPECT_EQ(each.occurrence, 0) << i;
    EXPECT_EQ(each.space, all[i].space) << i;
    EXPECT_EQ(each.store, all[i].store) << i;
    EXPECT_TRUE(each.active) << i;
    EXPECT_EQ(each.address, all[i].address) << i;
    EXPECT_EQ(each.bytes, all[i].bytes) << i;
  }
  EXPECT_EQ(destination[0], 12u);
  EXPECT_EQ(destination[2], 10u);
}

/// Each thread is at one place 1 + thread times, then once at another.
std::vector<int> occurrences(host_block& block, recording& record) {
  record.accesses.clear();
  int memory = 0;
  block.run(0, [&] {
    int held;
    for (int i = 0; i <= block.thread(); ++i) block.global_load<1>(&memory, &held, true);
    block.global_load<1>(&memory, &held, true);
  });
  std::vector<int> seen;
  for (auto const& each : record.accesses) seen.push_back(each.occurrence);
  return seen;
}

TEST(recording, counts_occurrences_for_each_thread_and_place_and_block) {
  recording record;
  host_block block(3, 0, &record);
  std::vector<int> const expected{0, 0, 0, 1, 0, 0, 1, 2, 0};
  EXPECT_EQ(occurrences(block, record), expected);
  EXPECT_EQ(occurrences(block, record), expected);  // another block starts anew
}

TEST(recording, holds_inactive_lanes_which_move_nothing) {
  int source[2] = {1, 2}, destination[2] = {8, 8}, loaded[2] = {9, 9};
  recording record;
  host_block block(2, 0, &record);
  block.run(0, [&] {
    int const t = block.thread();
    block.global_load<1>(&source[t], &loaded[t], t == 0);
    block.global_store<1>(&destination[t], &source[t], t == 1);
  });
  EXPECT_EQ(loaded[0], 1);
  EXPECT_EQ(loaded[1], 0);  // not what was there: an edge must not depend on it
  EXPECT_EQ(destination[0], 8);
  EXPECT_EQ(destination[1], 2);
  ASSERT_EQ(record.accesses.size(), 4u);
  bool const active[] = {true, false, false, true};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(record.accesses[i].active, active[i]) << i;
    EXPECT_EQ(record.accesses[i].thread, i / 2) << i;
  }
}

TEST(recording, is_only_made_where_one_is_given) {
  int memory = 5, held = 0;
  host_block block(1, 0);
  block.run(0, [&] { block.global_load<1>(&memory, &held, true); });
  EXPECT_EQ(held, 5);
}

/// The recording of 32 lanes that access shared memory `stride` elements apart.
template <class T, int V = 1>
test::request strided(int stride) {
  recording record;
  host_block block(32, sizeof(T) * 32 * 64, &record);
  block.run(0, [&] {
    T held[V] = {};
    block.template shared_store<V>(&block.template shared<T, 0>()[block.thread() * stride], held);
  });
  auto const all = test::requests_of(record);
  EXPECT_EQ(all.size(), 1u);
  return all.front();
}

TEST(requests, count_bank_conflicts) {
  EXPECT_EQ(wavefronts(strided<std::uint32_t>(1)), 1);
  EXPECT_EQ(wavefronts(strided<std::uint32_t>(0)), 1);  // one word for all
  EXPECT_EQ(wavefronts(strided<std::uint32_t>(2)), 2);
  EXPECT_EQ(wavefronts(strided<std::uint32_t>(32)), 32);
  EXPECT_EQ(wavefronts(strided<std::uint32_t>(33)), 1);
  EXPECT_EQ(wavefronts(strided<std::uint8_t>(1)), 1);  // four lanes a word
  EXPECT_EQ(wavefronts(strided<std::uint8_t>(8)), 2);
  EXPECT_EQ(wavefronts(strided<std::uint64_t>(1)), 2);
  EXPECT_EQ(wavefronts(strided<std::uint64_t>(16)), 32);
  EXPECT_EQ((wavefronts(strided<std::uint32_t, 4>(4))), 4);
  EXPECT_EQ((wavefronts(strided<std::uint32_t, 4>(32))), 32);
  EXPECT_EQ(least_wavefronts(strided<std::uint8_t>(1)), 1);
  EXPECT_EQ(least_wavefronts(strided<std::uint64_t>(1)), 2);
  EXPECT_EQ((least_wavefronts(strided<std::uint32_t, 4>(4))), 4);
}

TEST(requests, count_sectors_of_active_lanes) {
  alignas(32) float memory[32 * 8] = {};
  auto const load = [&](int shift, int stride, int active) {
    recording record;
    host_block block(32, 0, &record);
    block.run(0, [&] {
      float held;
      int const t = block.thread();
      block.global_load<1>(&memory[std::min(shift + t * stride, 255)], &held, t < active);
    });
    auto const each = test::requests_of(record).front();
    EXPECT_EQ(each.lanes.size(), 32u);
    EXPECT_EQ(each.active(), active);
    return sectors(each);
  };
  EXPECT_EQ(load(0, 1, 32), 4);
  EXPECT_EQ(load(1, 1, 32), 5);
  EXPECT_EQ(load(0, 8, 32), 32);
  EXPECT_EQ(load(0, 8, 3), 3);
  EXPECT_EQ(load(0, 1, 0), 0);
}

TEST(requests, are_of_one_warp_place_occurrence_and_block) {
  int memory = 0;
  recording record;
  host_block block(64, 0, &record);
  for (int index = 0; index < 3; ++index)
    block.run(index, [&] {
      int held;
      for (int i = 0; i < 5; ++i) block.global_load<1>(&memory, &held, true);
      block.global_store<1>(&memory, &held, true);
    });
  auto const all = test::requests_of(record);
  EXPECT_EQ(all.size(), 3u * 2 * (5 + 1));
  EXPECT_EQ(all.front().block, 0);
  EXPECT_EQ(all.back().block, 2);
  for (auto const& each : all) EXPECT_EQ(each.lanes.size(), 32u);
}

}  // namespace
}  // namespace cornerturn
