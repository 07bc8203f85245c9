#include "block/host_tma.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <stdexcept>

#include "block/host.hpp"

namespace cornerturn {
namespace {

/// Two matrices of 5 rows of 40 four-byte elements. The pitch is 176 bytes, the batch stride 1024.
struct matrices {
  matrices() : memory(2048) { std::iota(memory.begin(), memory.end(), std::uint32_t(1)); }

  tensor_map map(int box_rows, bool swizzled = false) {
    return {.base = reinterpret_cast<std::byte*>(memory.data()),
            .element_size = 4,
            .cols = 40,
            .rows = 5,
            .batch = 2,
            .pitch_bytes = 176,
            .batch_bytes = 1024,
            .box_rows = box_rows,
            .swizzled = swizzled};
  }
  std::uint32_t at(int col, int row, int batch) const { return memory[std::size_t(batch * 256 + row * 44 + col)]; }

  std::vector<std::uint32_t> memory;
};

struct shared_memory {
  shared_memory() { std::ranges::fill(words, 7u); }
  std::byte* at(int word) { return reinterpret_cast<std::byte*>(&words[word]); }
  alignas(1024) std::uint32_t words[1024];
};

TEST(box_copy, loads_zeros_past_the_matrix) {
  matrices global;
  shared_memory shared;
  box_copy{global.map(8), shared.at(0), shared.at(0), 32, 2, 1}.load();
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 32; ++c)
      EXPECT_EQ(shared.words[r * 32 + c], 2 + r < 5 && 32 + c < 40 ? global.at(32 + c, 2 + r, 1) : 0u) << r << ", " << c;
  EXPECT_EQ(shared.words[8 * 32], 7u);
}

TEST(box_copy, past_the_matrix_loads_zeros_and_stores_nothing) {
  matrices global;
  auto const before = global.memory;
  shared_memory shared;
  for (auto const& [col, row, batch] : {std::array{64, 0, 0}, {0, 5, 0}, {0, 0, 2}}) {
    std::ranges::fill(shared.words, 7u);
    box_copy const each{global.map(4), shared.at(0), shared.at(0), col, row, batch};
    each.store();
    EXPECT_EQ(global.memory, before);
    each.load();
    EXPECT_TRUE(std::all_of(shared.words, shared.words + 128, [](auto word) { return word == 0; }));
  }
}

TEST(box_copy, stores_whole_units) {
  for (int const cols : {40, 37}) {
    matrices global;
    auto expected = global.memory;
    shared_memory shared;
    std::iota(shared.words, shared.words + 1024, 100'000u);
    auto map = global.map(4);
    map.cols = cols;
    box_copy{map, shared.at(128), shared.at(0), 32, 3, 0}.store();
    for (int r = 0; r < 2; ++r)
      for (int c = 0; c < 8; ++c) expected[std::size_t((3 + r) * 44 + 32 + c)] = 100'128u + unsigned(r * 32 + c);
    EXPECT_EQ(global.memory, expected) << cols;  // the unit in which a row of 37 elements ends is stored whole
  }
}

TEST(box_copy, swizzles_units_by_their_row) {
  matrices global;
  shared_memory shared;
  box_copy{global.map(4, true), shared.at(128), shared.at(0), 0, 0, 0}.load();  // the box has rows 4 to 7 of shared memory
  for (int r = 0; r < 4; ++r)
    for (int unit = 0; unit < 8; ++unit)
      for (int c = 0; c < 4; ++c)
        EXPECT_EQ(shared.words[128 + r * 32 + (unit ^ (4 + r)) * 4 + c], global.at(unit * 4 + c, r, 0)) << r << ", " << unit;

  auto const expected = global.memory;
  std::ranges::fill(global.memory, 0u);
  box_copy{global.map(4, true), shared.at(128), shared.at(0), 0, 0, 0}.store();
  for (int r = 0; r < 4; ++r)
    for (int c = 0; c < 32; ++c) EXPECT_EQ(global.at(c, r, 0), expected[std::size_t(r * 44 + c)]);
}

TEST(host_tma, loads_boxes_when_their_mbarrier_is_waited_for) {
  matrices global;
  shared_memory shared;
  host_tma boxes;
  host_tma::mbarrier first, second;
  first = {.pending_bytes = 2 * 4 * 128, .has_arrived = true};
  second = {.pending_bytes = 4 * 128, .has_arrived = true};
  boxes.load(first, {global.map(4), shared.at(0), shared.at(0), 0, 0, 0});
  boxes.load(second, {global.map(4), shared.at(128), shared.at(0), 0, 0, 0});
  boxes.load(first, {global.map(4), shared.at(256), shared.at(0), 0, 1, 0});
  EXPECT_EQ(shared.words[0], 7u);
  boxes.complete(first);
  EXPECT_EQ(first.phase, 1);
  EXPECT_EQ(second.phase, 0);
  EXPECT_EQ(shared.words[0], global.at(0, 0, 0));
  EXPECT_EQ(shared.words[128], 7u);
  EXPECT_EQ(shared.words[256], global.at(0, 1, 0));
  boxes.complete(second);
  EXPECT_EQ(second.phase, 1);
  EXPECT_TRUE(boxes.idle());
}

TEST(host_tma, completes_a_phase_after_its_arrival) {
  std::vector<std::uint32_t> global(64);
  std::iota(global.begin(), global.end(), 1u);
  shared_memory shared;
  host_tma boxes;
  host_tma::mbarrier arrived;
  auto const copy = [&](int from, int to, int bytes) {
    boxes.bulk_copy(arrived,
                    {reinterpret_cast<char const*>(&global[std::size_t(from)]), reinterpret_cast<char*>(shared.at(to)), bytes});
  };
  copy(4, 0, 48);
  copy(32, 100, 16);
  EXPECT_EQ(shared.words[0], 7u);
  EXPECT_FALSE(boxes.idle());
  boxes.complete(arrived);
  EXPECT_EQ(arrived.phase, 0);
  arrived.has_arrived = true;
  EXPECT_THROW(copy(0, 0, 16), std::logic_error);
  boxes.complete(arrived);
  EXPECT_EQ(arrived.phase, 1);
  EXPECT_TRUE(std::equal(shared.words, shared.words + 12, global.begin() + 4));
  EXPECT_EQ(shared.words[12], 7u);
  EXPECT_TRUE(std::equal(shared.words + 100, shared.words + 104, global.begin() + 32));
  EXPECT_TRUE(boxes.idle());
}

TEST(host_tma, stores_a_group_when_it_is_waited_for) {
  matrices global;
  shared_memory shared;
  host_tma boxes;
  for (int row = 0; row < 3; ++row) {
    boxes.store({global.map(1), shared.at(0), shared.at(0), 0, row, 0});
    boxes.commit_group();
  }
  boxes.wait_group_read(3);
  EXPECT_NE(global.at(0, 0, 0), 7u);
  boxes.wait_group_read(1);
  EXPECT_EQ(global.at(0, 0, 0), 7u);
  EXPECT_EQ(global.at(0, 1, 0), 7u);
  EXPECT_NE(global.at(0, 2, 0), 7u);
  EXPECT_FALSE(boxes.idle());
  boxes.wait_group_read(0);
  EXPECT_EQ(global.at(0, 2, 0), 7u);
  EXPECT_TRUE(boxes.idle());
}

/// Runs `body` in the first thread of a block.
void run_first(host_block& block, std::function<void()> const& body) {
  block.run(0, [&] {
    if (block.thread() == 0) body();
  });
}

TEST(host_tma, a_block_must_request_before_it_waits) {
  host_block block(2, 2048);
  auto& arrived = *block.shared<host_block::mbarrier, 1>(1024);
  arrived = {};
  EXPECT_THROW(block.run(0, [&] { block.mbarrier_wait(arrived, 0); }), std::logic_error);
}

TEST(host_tma, a_block_must_wait_for_its_boxes) {
  matrices global;
  host_block block(2, 2048);
  auto& arrived = *block.shared<host_block::mbarrier, 1>(1024);
  EXPECT_THROW(run_first(block, [&] { block.tma_load(global.map(1), block.shared<int, 1>(), 0, 0, 0, arrived); }),
               std::logic_error);
  host_block other(2, 2048);
  EXPECT_THROW(run_first(other,
                         [&] {
                           other.tma_store(global.map(1), other.shared<int, 1>(), 0, 0, 0);
                           other.tma_commit();
                         }),
               std::logic_error);
}

TEST(host_tma, bulk_copies_are_whole_units_within_shared_memory) {
  alignas(16) static char const global[64] = {};
  struct {
    int from, to, bytes;
  } const wrong[] = {{8, 0, 16}, {0, 8, 16}, {0, 0, 24}, {0, 2032, 32}};
  for (auto const& each : wrong) {
    host_block block(2, 2048);
    auto& arrived = *block.shared<host_block::mbarrier, 1>(1024);
    EXPECT_THROW(
        run_first(block, [&] { block.bulk_copy(global + each.from, block.shared<char, 1>(each.to), each.bytes, arrived); }),
        std::logic_error);
  }
}

TEST(host_tma, stores_need_a_proxy_fence_of_every_thread) {
  for (bool const fenced : {true, false}) {
    matrices global;
    host_block block(2, 2048);
    auto const body = [&] {
      int const value = 1;
      block.shared_store<1>(block.shared<int, 1>(), &value);
      if (fenced || block.thread() == 0) block.fence_proxy_async();
      block.sync();
      if (block.thread() > 0) return;
      block.tma_store(global.map(1), block.shared<int, 1>(), 0, 0, 0);
      block.tma_commit();
      block.tma_wait_read<0>();
    };
    if (fenced)
      block.run(0, body);
    else
      EXPECT_THROW(block.run(0, body), std::logic_error);
  }
}

TEST(host_tma, boxes_are_recorded_row_by_row) {
  matrices global;
  recording record;
  host_block block(2, 2048, &record);
  auto& arrived = *block.shared<host_block::mbarrier, 1>(1024);
  block.run(0, [&] {
    if (block.thread() == 1) {
      block.mbarrier_init(arrived);
      block.mbarrier_arrive_expect_tx(arrived, 4 * 128);
      block.tma_load(global.map(4), block.shared<int, 1>(), 32, 3, 1, arrived);
    }
    block.mbarrier_wait(arrived, 0);
  });
  ASSERT_EQ(record.accesses.size(), 4u);
  for (int r = 0; r < 4; ++r) {
    auto const& each = record.accesses[std::size_t(r)];
    EXPECT_EQ(each.thread, 1);
    EXPECT_EQ(each.occurrence, 0);
    EXPECT_EQ(each.space, memory_space::global);
    EXPECT_FALSE(each.store);
    EXPECT_TRUE(each.box);
    EXPECT_EQ(each.active, r < 2);  // the matrix ends with row 4
    if (!each.active) continue;
    EXPECT_EQ(each.bytes, 8 * 4);
    EXPECT_EQ(each.address, reinterpret_cast<std::uintptr_t>(&global.memory[std::size_t(256 + (3 + r) * 44 + 32)]));
  }
}

TEST(host_block, exchanges_values_by_shfl_xor) {
  host_block block(8, 64);
  std::vector<int> seen(16);
  block.run(0, [&] {
    int const t = block.thread();
    int pieces[2] = {10 * t, 10 * t + 1};
    block.shfl_xor(pieces, 4);
    block.shfl_xor(pieces, 1);
    seen[std::size_t(2 * t)] = pieces[0], seen[std::size_t(2 * t + 1)] = pieces[1];
  });
  for (int t = 0; t < 8; ++t) {
    EXPECT_EQ(seen[std::size_t(2 * t)], 10 * (t ^ 5));
    EXPECT_EQ(seen[std::size_t(2 * t + 1)], 10 * (t ^ 5) + 1);
  }
}

}  // namespace
}  // namespace cornerturn
