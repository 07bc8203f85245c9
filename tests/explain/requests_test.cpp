#include "explain/requests.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

#include "block/host.hpp"
#include "block/sizes.hpp"
#include "explain/instructions.hpp"

namespace cornerturn {
namespace {

/// The recording of 32 lanes that access shared memory `stride` elements apart.
template <class T, int V = 1>
request strided(int stride) {
  recording record;
  host_block block(32, sizeof(T) * 32 * 64, &record);
  block.run(0, [&] {
    T held[V] = {};
    block.template shared_store<V>(&block.template shared<T, 0>()[block.thread() * stride], held);
  });
  auto const all = requests_of(record);
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
  EXPECT_EQ(ideal_wavefronts(strided<std::uint8_t>(1)), 1);
  EXPECT_EQ(ideal_wavefronts(strided<std::uint64_t>(1)), 2);
  EXPECT_EQ((ideal_wavefronts(strided<std::uint32_t, 4>(4))), 4);
}

/// Lane 0 skips iteration 0, lane 1 skips iteration 1. Both loads of iteration 2 are one request, whatever was skipped.
TEST(requests, are_of_one_iteration_of_a_loop) {
  int memory[2][3] = {};
  recording record;
  host_block block(2, 0, &record);
  auto const load = [&](int thread, int iteration) {
    int held;
    block.global_load<1>(&memory[thread][iteration], &held, true);
  };
  block.run(0, [&] {
    int const t = block.thread();
    for (int i = 0; i < 3; ++i) {
      [[maybe_unused]] auto const mark = block.iteration(i);
      if (t != i) load(t, i);
    }
    load(t, 0);
  });
  auto const requests = requests_of(record);
  std::vector<std::pair<std::size_t, int>> found;  // lanes, requests before
  for (auto const& each : requests) found.emplace_back(each.lanes.size(), each.occurrence);
  EXPECT_EQ(found, (std::vector<std::pair<std::size_t, int>>{{1, 0}, {2, 1}, {2, 2}, {1, 3}}));
}

/// In a nested loop each outer iteration has its own inner iterations. Accesses after the loops are in no iteration.
TEST(requests, are_of_one_iteration_of_nested_loops) {
  int memory = 0;
  recording record;
  host_block block(2, 0, &record);
  block.run(0, [&] {
    int held;
    for (int i = 0; i < 2; ++i) {
      [[maybe_unused]] auto const outer = block.iteration(i);
      for (int j = 0; j < 2; ++j) {
        [[maybe_unused]] auto const inner = block.iteration(j);
        if (block.thread() == (i == j)) block.global_load<1>(&memory, &held, true);
      }
    }
  });
  auto const requests = requests_of(record);
  ASSERT_EQ(requests.size(), 4u);
  for (auto const& each : requests) EXPECT_EQ(each.lanes.size(), 1u);
}

/// Rows that lie in one sector are fetched one by one.
TEST(requests, of_rows_by_tma_are_a_row_each) {
  alignas(32) char memory[32] = {};
  recording record;
  host_block block(2, 64, &record);
  block.run(0, [&] {
    auto& arrived = *block.shared<host_block::mbarrier, 1>(32);
    if (block.thread() == 0) block.mbarrier_init(arrived);
    block.bulk_copy(memory + 16 * block.thread(), block.shared<char, 16>(16 * block.thread()), 16, arrived);
    block.sync();
    if (block.thread() == 0) block.mbarrier_arrive(arrived);
    block.mbarrier_wait(arrived, 0);
  });
  auto const requests = requests_of(record);
  ASSERT_EQ(requests.size(), 2u);
  for (auto const& each : requests) EXPECT_EQ(sectors(each), 1);
}

TEST(requests, of_cp_async_are_of_both_memories) {
  alignas(32) char memory[32] = {};
  recording record;
  host_block block(2, 32, &record);
  block.run(0, [&] {
    block.cp_async(memory + 16 * block.thread(), block.shared<char, 16>(16 * block.thread()));
    block.cp_async_wait_all();
  });
  auto const requests = requests_of(record);
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_EQ(requests[0].space(), memory_space::global);
  EXPECT_EQ(sectors(requests[0]), 1);
  EXPECT_EQ(requests[1].space(), memory_space::shared);
  EXPECT_EQ(wavefronts(requests[1]), 1);
  for (auto const& each : requests) EXPECT_TRUE(each.async());
}

/// The four units of two sectors go to shared memory 16 bytes further on: past the L1 cache both sectors are read twice.
TEST(requests, split_sectors_whose_halves_part_in_shared_memory) {
  alignas(128) char memory[64] = {};
  auto const split = [&](int shift, auto const& copy) {
    recording record;
    host_block block(4, 256, &record);
    block.run(0, [&] { copy(block, memory + 16 * block.thread(), block.shared<char, 16>(shift + 16 * block.thread())); });
    return split_sectors(requests_of(record).front());
  };
  auto const past_l1 = [](auto& block, char* from, char* to) { block.cp_async(from, to); };
  auto const through_l1 = [](auto& block, char* from, char* to) { block.template cp_async<true>(from, to); };
  EXPECT_EQ(split(0, past_l1), 0);
  EXPECT_EQ(split(16, past_l1), 2);
  EXPECT_EQ(split(32, past_l1), 0);
  EXPECT_EQ(split(16, through_l1), 0);
}

/// A row by TMA is split only where a line of shared memory ends.
TEST(requests, split_sectors_of_rows_at_lines_of_shared_memory) {
  alignas(128) char memory[256] = {};
  auto const split = [&](int shift) {
    recording record;
    host_block block(1, 512, &record);
    block.run(0, [&] {
      auto& arrived = *block.shared<host_block::mbarrier, 1>(384);
      block.mbarrier_init(arrived);
      block.bulk_copy(memory, block.shared<char, 256>(shift), 256, arrived);
      block.mbarrier_arrive(arrived);
      block.mbarrier_wait(arrived, 0);
    });
    return split_sectors(requests_of(record).front());
  };
  EXPECT_EQ(split(0), 0);
  EXPECT_EQ(split(16), 2);
  EXPECT_EQ(split(32), 0);
}

TEST(requests, need_bytes_that_several_lanes_read_once) {
  recording record;
  host_block block(32, 64, &record);
  block.run(0, [&] {
    std::uint32_t held[2];
    block.shared_load<2>(block.shared<std::uint32_t, 16>() + block.thread() / 8 * 2, held);
  });
  EXPECT_EQ(requests_of(record).front().bytes_needed(), 4 * 8);
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
    auto const each = requests_of(record).front();
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
  auto const all = requests_of(record);
  EXPECT_EQ(all.size(), 3u * 2 * (5 + 1));
  EXPECT_EQ(all.front().block, 0);
  EXPECT_EQ(all.back().block, 2);
  for (auto const& each : all) EXPECT_EQ(each.lanes.size(), 32u);
}

TEST(requests, of_one_line_and_two_widths_are_two_instructions) {
  alignas(kLineBytes) std::uint8_t memory[512] = {};
  recording record;
  host_block block(32, 0, &record);
  auto const store = [&]<int V>(std::integral_constant<int, V>) {
    std::uint8_t const values[V] = {};
    block.global_store<V>(memory + block.thread() * V, values, true);
  };
  block.run(0, [&] {
    store(std::integral_constant<int, 8>{});
    store(std::integral_constant<int, 16>{});
  });
  auto const all = instructions_of({{1, record}}, reinterpret_cast<std::uintptr_t>(memory));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].bytes, 8);
  EXPECT_EQ(all[1].bytes, 16);
}

TEST(requests, count_pieces_touched_in_part) {
  recording record;
  for (int lane = 0; lane < 32; ++lane)
    record.accesses.push_back({.thread = lane,
                               .place = {},
                               .occurrence = 0,
                               .space = memory_space::global,
                               .store = true,
                               .active = lane < 20,
                               .address = std::uint64_t(64 + 8 + lane * 4),
                               .bytes = 4,
                               .block = 0});
  auto const each = requests_of(record).front();
  EXPECT_EQ(each.bytes_needed(), 80);
  EXPECT_EQ(ideal_sectors(each), 3);
  auto const touched = touched_pieces_of(each, 32);  // bytes 72 to 151
  EXPECT_EQ(touched.all, 3);
  EXPECT_EQ(touched.partial, 2);
  EXPECT_EQ(touched_pieces_of(each, 64).all, 2);
  EXPECT_EQ(touched_pieces_of(each, 128).all, 2);
}

TEST(requests, have_a_phase_for_each_lane) {
  auto const all = wavefront_of_lanes(strided<std::uint32_t>(16));  // two banks, by turns
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(all[std::size_t(lane)], lane / 2) << lane;
  auto const vectors = wavefront_of_lanes(strided<std::uint32_t, 4>(4));
  for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(vectors[std::size_t(lane)], lane / 8) << lane;
}

using word_of_lane = std::function<int(int)>;  // -1: the lane is off

/// Wavefronts, these without a conflict, of accesses to these words of `bytes` bytes.
std::pair<int, int> served(int bytes, word_of_lane const& word, bool store = false) {
  request each{0, 0, {}};
  for (int lane = 0; lane < kWarp; ++lane)
    each.lanes.push_back({.thread = lane,
                          .place = {},
                          .occurrence = 0,
                          .space = memory_space::shared,
                          .store = store,
                          .active = word(lane) >= 0,
                          .address = std::uint64_t(std::max(0, word(lane)) * bytes),
                          .bytes = bytes,
                          .block = 0});
  return {wavefronts(each), ideal_wavefronts(each)};
}

// As an H200 counted them.
TEST(requests, that_load_long_words_which_neighbours_share_need_half_the_wavefronts) {
  for (auto const& word : std::initializer_list<word_of_lane>{[](int l) { return l / 2; }, [](int l) { return l / 4; },
                                                              [](int l) { return (l & 1) + l / 4 * 2; }, [](int) { return 0; },
                                                              [](int l) { return l % 2 ? -1 : l / 2; }}) {
    EXPECT_EQ(served(8, word), std::pair(1, 1));
    EXPECT_EQ(served(16, word), std::pair(2, 2));
    EXPECT_EQ(served(8, word, true), std::pair(2, 2));
    EXPECT_EQ(served(16, word, true), std::pair(4, 4));
  }
  for (auto const& word :
       std::initializer_list<word_of_lane>{[](int l) { return l; }, [](int l) { return l % 16; }, [](int l) { return l % 8; }}) {
    EXPECT_EQ(served(8, word), std::pair(2, 2));
    EXPECT_EQ(served(16, word), std::pair(4, 4));
  }
}

TEST(requests, are_joined_where_all_lanes_of_the_warp_are_paired_alike) {
  auto const pairs_then = [](word_of_lane const& rest) { return [=](int l) { return l < 16 ? l / 2 : rest(l); }; };
  for (auto const& rest :
       std::initializer_list<word_of_lane>{[](int l) { return l; }, [](int l) { return (l & 1) + l / 4 * 2; }}) {
    EXPECT_EQ(served(8, pairs_then(rest)), std::pair(2, 2));
    EXPECT_EQ(served(16, pairs_then(rest)), std::pair(4, 4));
  }
}

TEST(requests, that_are_joined_conflict_as_one) {
  auto const far = [](int l) { return l < 16 ? l / 2 : l / 2 + 8; };  // the halves' 8-byte words lie 128 bytes apart
  EXPECT_EQ(served(8, far), std::pair(2, 1));
  EXPECT_EQ(served(16, [](int l) { return l / 2 * 8; }), std::pair(16, 2));
}

TEST(requests, of_few_lanes_need_fewer_wavefronts) {
  auto each = strided<std::uint32_t, 4>(4);
  for (auto& lane : each.lanes) lane.active = lane.thread >= 24;
  EXPECT_EQ(wavefronts(each), 1);
  EXPECT_EQ(ideal_wavefronts(each), 1);
  for (auto& lane : each.lanes) lane.active = false;
  EXPECT_EQ(wavefronts(each), 0);
}

}  // namespace
}  // namespace cornerturn
