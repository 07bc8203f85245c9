#include "cornerturn/ladder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "cornerturn/element_type.hpp"
#include "cornerturn/info.hpp"
#include "kernel/rung/plan.hpp"
#include "support/message.hpp"
#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

using names = std::vector<std::string>;

using test::message_of;

TEST(ladder, names_its_types) {
  auto const all = type_names();
  EXPECT_EQ(all.size() + 1, std::size(kElementTypes));
  EXPECT_EQ((names{all.begin(), all.begin() + 3}), (names{"u8", "i8", "f8_e4m3fn"}));
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, type_size));
  for (auto const& each : all) EXPECT_EQ(type_size(each), size_of(element_type_named(each))) << each;
  for (auto const name : {"f31", "bool"})
    EXPECT_TRUE(message_of([&] { type_size(name); })
                    .starts_with(fmt::format("type is '{}'; it must be one of {}", name, fmt::join(all, ", "))));
  EXPECT_EQ(message_of([] { type_size(""); }).substr(0, 23), "type is ''; it must be ");
}

TEST(ladder, names_its_rungs_in_order) {
  names of_table;
  for (auto const& each : kRungs) of_table.emplace_back(each.name);
  EXPECT_EQ(rung_names(), of_table);
  EXPECT_EQ(rung_names(processor_kind::gpu), rung_names());
  EXPECT_EQ(rung_names(processor_kind::cpu), (names{"naive", "blocked", "vector", "streaming", "threads"}));
}

std::string refusal_of(ladder_options const& options) {
  return message_of([&] { run_ladder(options); });
}

TEST(ladder, refuses_bad_options) {
  EXPECT_EQ(refusal_of({.rows = 0}), "rows is 0; it must be 1 or more");
  EXPECT_EQ(refusal_of({.cols = -7}), "cols is -7; it must be 1 or more");
  EXPECT_EQ(refusal_of({.rows = 64, .cols = 64, .repeats = 0}), "repeats is 0; it must be 1 or more");
  EXPECT_EQ(refusal_of({.type = "float"}).substr(0, 33), "type is 'float'; it must be one o");
  EXPECT_EQ(refusal_of({.rows = std::int64_t(1) << 40, .cols = std::int64_t(1) << 40}),
            "rows x cols is 1099511627776 x 1099511627776 of 4 bytes; it must be at most 2^63 - 1 bytes");
  EXPECT_EQ(refusal_of({.rows = std::int64_t(1) << 31, .cols = std::int64_t(1) << 30}),
            "rows x cols is 2147483648 x 1073741824 of 4 bytes; it must be at most 2^63 - 1 bytes");
  EXPECT_EQ(
      refusal_of({.rows = 64, .cols = 64, .kernels = {"copy", "memcpy"}}),
      fmt::format("kernel is 'memcpy'; it must be one of the {} rungs of the ladder", rung_names().size()));
  for (auto const* const text : {"", "64", "64x", "x64", "64x64x", "0x64", "64x-1", "64 x 64", "ALL", "99999999999x1"})
    EXPECT_EQ(refusal_of({.rows = 64, .cols = 64, .tiles = {"32x32", text}}),
              fmt::format("tiles is '{}'; it must be all, or rows x columns such as 64x64, with commas between them", text));
}

TEST(ladder, refuses_what_the_cpu_does_not_have) {
  EXPECT_EQ(refusal_of({.kernels = {"threads", "vec-both"}, .processor = processor_kind::cpu}),
            "kernel is 'vec-both'; it must be one of naive, blocked, vector, streaming, threads on the CPU");
  EXPECT_EQ(refusal_of({.tiles = {"all", "64x64"}, .processor = processor_kind::cpu}),
            "tiles is 'all,64x64'; it must be left out on the CPU");
  EXPECT_EQ(refusal_of({.tiles = {"best"}, .processor = processor_kind::cpu}).substr(0, 14), "tiles is 'best");
  EXPECT_EQ(refusal_of({.rows = 0, .processor = processor_kind::cpu}), "rows is 0; it must be 1 or more");
  EXPECT_EQ(refusal_of({.repeats = 0, .processor = processor_kind::cpu}), "repeats is 0; it must be 1 or more");
}

TEST(ladder, climbs_the_cpu_s) {
  auto const climbed = [](names const& kernels) {
    names rows;
    auto const run = run_ladder({.rows = 70, .cols = 50, .kernels = kernels, .repeats = 1, .processor = processor_kind::cpu});
    EXPECT_TRUE(run.all_right());
    for (auto const& row : run.rungs) rows.push_back(row.name);
    return rows;
  };
  EXPECT_EQ(climbed({}), (names{"memcpy", "nt-copy", "naive", "blocked", "vector", "streaming", "threads"}));
  EXPECT_EQ(climbed({"threads", "naive", "threads"}), (names{"memcpy", "nt-copy", "threads", "naive"}));
}

TEST(ladder, is_right_unless_a_row_is_wrong) {
  ladder_run run;
  EXPECT_TRUE(run.all_right());
  run.rungs = {{.result = ladder_row::outcome::verified}, {.result = ladder_row::outcome::not_available}};
  EXPECT_TRUE(run.all_right());
  run.rungs.push_back({.result = ladder_row::outcome::wrong});
  EXPECT_FALSE(run.all_right());
}

class ladder_without_a_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (info().gpu_problem.empty()) GTEST_SKIP() << "there is a GPU";
  }
};

TEST_F(ladder_without_a_gpu, verifies_every_rung_and_times_none) {
  // Under a sanitizer all types take minutes. There, the tests of the host executor run every size of an element.
  for (auto const& type : test::is_sanitized() ? names{"f32"} : names{"u8", "bf16", "f32", "f64", "c128"}) {
    names told;
    auto const run = run_ladder({.type = type}, [&](std::string_view what) { told.emplace_back(what); });
    EXPECT_EQ(run.device, "");
    EXPECT_EQ(run.type, type);
    EXPECT_EQ(run.timing, "");
    EXPECT_LE(run.rows * run.cols, 1'000'000);  // a small one
    EXPECT_GT(run.rows * run.cols, 0);
    EXPECT_TRUE(run.all_right());
    ASSERT_EQ(run.rungs.size(), rung_names().size());
    EXPECT_TRUE(std::ranges::none_of(run.rungs, &ladder_row::best));
    for (std::size_t i = 0; i < run.rungs.size(); ++i) {
      auto const& row = run.rungs[i];
      EXPECT_EQ(row.name, rung_names()[i]);
      EXPECT_EQ(row.result, ladder_row::outcome::verified) << row.name << ": " << row.reason;
      EXPECT_EQ(row.median_ms, 0) << row.name;
      EXPECT_FALSE(row.tile.empty()) << row.name;
      EXPECT_EQ(told[i], "verifying " + row.name);
    }
  }
}

TEST_F(ladder_without_a_gpu, climbs_the_rungs_asked_for) {
  auto const run = run_ladder({.rows = 50, .cols = 70, .kernels = {"vec-both", "naive-write"}});
  EXPECT_EQ(run.rows, 50);
  EXPECT_EQ(run.cols, 70);
  ASSERT_EQ(run.rungs.size(), 2u);
  EXPECT_EQ(run.rungs[0].name, "vec-both");
  EXPECT_EQ(run.rungs[1].name, "naive-write");
}

/// The tiles, threads and tiles a block of a rung's rows, each of which is right.
names swept(std::vector<std::string> const& tiles, std::string const& kernel) {
  names rows;
  for (auto const& row : run_ladder({.rows = 64, .cols = 128, .kernels = {kernel}, .tiles = tiles}).rungs) {
    EXPECT_EQ(row.result, ladder_row::outcome::verified) << row.tile << ": " << row.reason;
    rows.push_back(fmt::format("{}/{}x{}", row.tile, row.threads, row.tiles));
  }
  return rows;
}

TEST_F(ladder_without_a_gpu, sweeps_every_variant) {
  if (tiles_of(rung::tma, 4, {kBoxAccess, kBoxAccess}).size() == 1) GTEST_SKIP() << "this build has no tiles for sweeps alone";
  EXPECT_EQ(swept({"all"}, "smem-padded"), (names{"64x64/256x1", "16x16/256x1", "32x32/256x1"}));
  EXPECT_EQ(swept({"32x32", "16x16"}, "smem-padded"), (names{"16x16/256x1", "32x32/256x1"}));
  EXPECT_EQ(swept({"64x64"}, "tma"), (names{"64x64/256x1", "64x64/256x2"}));
}

TEST_F(ladder_without_a_gpu, sweeps_tiles) {
  EXPECT_EQ(swept({}, "smem-padded"), (names{"64x64/256x1"}));
  EXPECT_EQ(swept({"32x32", "128x64"}, "vec-both"), (names{"32x32/64x1", "128x64/256x1"}));
  EXPECT_EQ(swept({"all"}, "copy"), (names{"1x512/128x1", "1x1024/256x1", "1x4096/1024x1", "32x1024/1024x1"}));

  auto const none = run_ladder({.rows = 64, .cols = 64, .kernels = {"vec-both"}, .tiles = {"48x48"}}).rungs;
  ASSERT_EQ(none.size(), 1u);
  EXPECT_EQ(none[0].result, ladder_row::outcome::not_available);
  EXPECT_EQ(none[0].reason, "its tiles are 64x64, 32x32, 128x64");
}

TEST_F(ladder_without_a_gpu, says_why_a_rung_is_not_available) {
  auto const rows = run_ladder({.rows = 64, .cols = 62, .kernels = {"vec-both", "tma"}}).rungs;
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].result, ladder_row::outcome::verified);
  EXPECT_EQ(rows[1].result, ladder_row::outcome::not_available);
  EXPECT_EQ(rows[1].reason, "the source's pitch in bytes is 248; it must be a multiple of 16 below 2^40 for TMA");
}

TEST_F(ladder_without_a_gpu, refuses_the_gpu_by_name) {
  EXPECT_EQ(refusal_of({.rows = 8, .cols = 8, .processor = processor_kind::gpu}),
            "processor is gpu; it must be cpu or automatic here: " + info().gpu_problem);
}

TEST_F(ladder_without_a_gpu, climbs_a_rung_once) {
  EXPECT_EQ(run_ladder({.rows = 8, .cols = 8, .kernels = {"copy", "naive-read", "copy"}}).rungs.size(), 2u);
}

}  // namespace
}  // namespace cornerturn
