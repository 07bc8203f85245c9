#include "engine/cpu/ladder/run_ladder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cornerturn/threads.hpp"
#include "cpu/memory.hpp"
#include "engine/cpu/copies.hpp"
#include "engine/cpu/ladder/pattern.hpp"
#include "support/check.hpp"
#include "support/message.hpp"
#include "support/numbered.hpp"

namespace cornerturn {
namespace {

class cpu_rungs : public testing::TestWithParam<std::tuple<std::size_t, int>> {};

/// The table's dense matrices, and one of several tiles for several threads.
std::vector<test::transpose_case> dense_cases() {
  auto cases = test::transpose_cases();
  std::erase_if(cases, [](auto const& each) {
    return each.batch != 1 || each.rows * each.cols == 0 || each.source_gap + each.destination_gap > 0;
  });
  cases.push_back({.rows = 1031, .cols = 2051});
  return cases;
}

TEST_P(cpu_rungs, move_every_dense_case_of_the_table) {
  auto const [number, size] = GetParam();
  test::mover const move = [&](job const& shape, test::case_memory const& memory) {
    cpu::kCpuRungs[number]
        .prepare({shape.rows, shape.cols, size})
        .run(memory.source.data() + memory.source_at, memory.destination.data() + memory.destination_at);
  };
  set_num_threads(3);
  for (auto const& each : dense_cases()) ASSERT_EQ(test::check_transpose(each, size, move), "") << cpu::kCpuRungs[number].name;
  set_num_threads(0);
}

INSTANTIATE_TEST_SUITE_P(all, cpu_rungs,
                         testing::Combine(testing::Range(std::size_t(0), cpu::kCpuRungs.size()), testing::Values(1, 2, 4, 8, 16)),
                         [](auto const& info) {
                           return std::string(cpu::kCpuRungs[std::get<0>(info.param)].name) + "_" +
                                  std::to_string(std::get<1>(info.param)) + "_bytes";
                         });

TEST(cpu_copies, copy_every_byte_and_no_other) {
  constexpr std::size_t kGuard = 64;
  for (auto const copy : {cpu::plain_copy, cpu::streaming_copy})
    for (int const threads : {1, 2, 3, 7})
      for (std::int64_t const count : {0, 1, 15, 16, 63, 64, 65, 127, 128, 200, 4096, 5001})
        for (std::size_t const shift : {0, 1, 8, 15}) {
          auto const source = test::numbered(count);
          std::vector<std::byte> result(std::size_t(count) + 2 * kGuard, std::byte{0xEE}), expected = result;
          std::ranges::copy(source, expected.begin() + std::ptrdiff_t(shift));
          copy(result.data() + shift, source.data(), count, threads);
          ASSERT_TRUE(result == expected) << count << " bytes at " << shift << " on " << threads << " threads";
        }
}

TEST(cpu_ladder, finds_every_wrong_element) {
  for (int const size : {1, 2, 4, 8, 16}) {
    cpu::matrix const shape{70, 130, size};
    auto const bytes = std::size_t(shape.rows * shape.cols * size);
    std::vector<std::byte> source(bytes), turned(bytes);
    cpu::fill_pattern(source.data(), shape);
    cpu::prepare_naive(shape).run(source.data(), turned.data());
    EXPECT_EQ(cpu::count_wrong(source.data(), shape, false), 0);
    EXPECT_EQ(cpu::count_wrong(turned.data(), shape, true), 0);
    EXPECT_GT(cpu::count_wrong(source.data(), shape, true), shape.rows * shape.cols * 9 / 10);
    turned.front() ^= std::byte{1}, turned.back() ^= std::byte{0x80};
    EXPECT_EQ(cpu::count_wrong(turned.data(), shape, true), 2);
  }
}

/// All but the last element.
cpu::runner forgetful(cpu::matrix const& shape) {
  auto const right = cpu::prepare_naive(shape);
  return {[=](void const* source, void* destination) {
    right.run(source, destination);
    std::memset(static_cast<std::byte*>(destination) + (shape.rows * shape.cols - 1) * shape.element_size, 0, 1);
  }};
}

TEST(cpu_ladder, times_what_is_right_and_says_what_is_wrong) {
  set_num_threads(2);
  std::vector<std::string> told;
  auto const run = cpu::run_ladder({.rows = 1500, .cols = 700, .repeats = 3},
                                   {{"threads", cpu::prepare_threads}, {"forgetful", forgetful}, {"naive", cpu::prepare_naive}},
                                   [&](std::string_view what) { told.emplace_back(what); });
  set_num_threads(0);
  EXPECT_FALSE(run.device.empty());
  EXPECT_EQ(run.timing, "clock");
  EXPECT_EQ(run.rows, 1500);
  EXPECT_EQ(run.cols, 700);
  EXPECT_EQ(told, (std::vector<std::string>{"verifying memcpy", "verifying nt-copy", "verifying threads", "verifying forgetful",
                                            "verifying naive", "round 1 of 3", "round 2 of 3", "round 3 of 3"}));
  ASSERT_EQ(run.rungs.size(), 5u);
  auto const& wrong = run.rungs[3];
  EXPECT_EQ(wrong.result, ladder_row::outcome::wrong);
  EXPECT_EQ(wrong.reason, "1 of 1050000 elements are wrong");
  EXPECT_EQ(wrong.median_ms, 0);
  EXPECT_EQ(wrong.ratio, 0);
  int const threads[] = {2, 2, 2, 1, 1};
  for (std::size_t i = 0; i < run.rungs.size(); ++i) {
    auto const& row = run.rungs[i];
    EXPECT_EQ(row.threads, threads[i]) << row.name;
    if (i == 3) continue;
    EXPECT_EQ(row.result, ladder_row::outcome::verified) << row.name << ": " << row.reason;
    EXPECT_NEAR(row.gbs, 2e-6 * 1500 * 700 * 4 / row.median_ms, 1e-9);
    EXPECT_NEAR(row.ratio, run.rungs[0].median_ms / row.median_ms, 1e-9) << row.name;
    EXPECT_NEAR(row.nt_ratio, run.rungs[1].median_ms / row.median_ms, 1e-9) << row.name;
  }
}

TEST(cpu_ladder, refuses_matrices_that_memory_has_no_room_for) {
  std::int64_t const side = std::int64_t(1) << 24;
  ASSERT_GT(side * side, cpu::available_memory() / 2);
  auto const message = test::message_of([&] { cpu::run_ladder({.rows = side, .cols = side, .type = "u8"}, {}, {}); });
  EXPECT_TRUE(message.starts_with("rows x cols is 16777216 x 16777216 of 1 byte; it must be at most ")) << message;
  EXPECT_TRUE(message.ends_with(" bytes twice, the memory that is available")) << message;
}

}  // namespace
}  // namespace cornerturn
