#include "block/recording.hpp"

#include <gtest/gtest.h>

#include "block/host.hpp"

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

/// Thread t executes one load 1 + t times, then another load once.
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
  EXPECT_EQ(occurrences(block, record), expected);  // counting starts again with each block
}

TEST(recording, holds_inactive_lanes_which_move_nothing) {
  int source[2] = {1, 2}, destination[2] = {8, 8}, loaded[2] = {9, 9}, kept[2] = {9, 9};
  recording record;
  host_block block(2, 8, &record);
  block.run(0, [&] {
    int const t = block.thread();
    block.global_load<1>(&source[t], &loaded[t], t == 0);
    block.global_store<1>(&destination[t], &source[t], t == 1);
    block.shared<int, 2>()[t] = 3;
    block.shared_load<1>(&block.shared<int, 2>()[t], &kept[t], t == 0);
  });
  EXPECT_EQ(kept[0], 3);
  EXPECT_EQ(kept[1], 0);
  EXPECT_EQ(loaded[0], 1);
  EXPECT_EQ(loaded[1], 0);  // zero, so that the result of an edge tile does not depend on earlier contents
  EXPECT_EQ(destination[0], 8);
  EXPECT_EQ(destination[1], 2);
  ASSERT_EQ(record.accesses.size(), 6u);
  bool const active[] = {true, false, true, false, true, false};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(record.accesses[i].active, active[i]) << i;
    EXPECT_EQ(record.accesses[i].thread, i / 3) << i;
  }
}

TEST(recording, is_only_made_where_one_is_given) {
  int memory = 5, held = 0;
  host_block block(1, 0);
  block.run(0, [&] { block.global_load<1>(&memory, &held, true); });
  EXPECT_EQ(held, 5);
}

TEST(recording, of_addresses_alone_touches_no_global_memory) {
  recording record{.addresses_only = true, .accesses = {}};
  host_block block(2, 2048, &record);
  auto* const nowhere = reinterpret_cast<int*>(std::uintptr_t(1) << 40);
  tensor_map const map{.base = reinterpret_cast<std::byte*>(nowhere),
                       .element_size = 4,
                       .cols = 1000,
                       .rows = 1000,
                       .batch = 1,
                       .pitch_bytes = 4000,
                       .batch_bytes = 0,
                       .box_rows = 2};
  auto& arrived = *block.shared<host_block::mbarrier, 1>(1024);
  block.run(0, [&] {
    int held = 5;
    block.global_load<1>(nowhere + block.thread(), &held, true);
    EXPECT_EQ(held, 0);
    block.global_store<1>(nowhere + block.thread(), &held, true);
    if (block.thread() == 0) {
      block.mbarrier_init(arrived);
      block.mbarrier_arrive_expect_tx(arrived, 256);
      block.tma_load(map, block.shared<int, 1>(), 0, 0, 0, arrived);
    }
    block.mbarrier_wait(arrived, 0);
    if (block.thread() == 0) {
      block.tma_store(map, block.shared<int, 1>(), 0, 998, 0);
      block.tma_commit();
      block.tma_wait_read<0>();
    }
  });
  ASSERT_EQ(record.accesses.size(), 8u);
  EXPECT_EQ(record.accesses.front().address, std::uint64_t(1) << 40);
  EXPECT_EQ(record.accesses.back().address, (std::uint64_t(1) << 40) + 999 * 4000);
}

TEST(host_block, refuses_accesses_outside_its_shared_memory) {
  for (int const at : {-4, 13, 16, 12}) {
    host_block block(1, 16);
    int held = 0;
    auto const load = [&] { block.shared_load<1>(reinterpret_cast<int*>(block.shared<char, 0>() + at), &held); };
    if (at == 12)
      EXPECT_NO_THROW(block.run(0, load));
    else
      EXPECT_THROW(block.run(0, load), std::logic_error) << at;
  }
}

TEST(host_block, refuses_arrays_that_pass_the_end_of_its_shared_memory) {
  host_block block(1, 16);
  block.run(0, [&] {
    EXPECT_NO_THROW((block.shared<int, 3>(4)));
    EXPECT_THROW((block.shared<int, 4>(4)), std::logic_error);
  });
}

}  // namespace
}  // namespace cornerturn
