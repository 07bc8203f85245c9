#include "cornerturn/ladder.hpp"

#include <gtest/gtest.h>

#include "cornerturn/error.hpp"
#include "cornerturn/info.hpp"

namespace cornerturn {
namespace {

using names = std::vector<std::string>;

std::string refusal(auto const& call) {
  try {
    call();
  } catch (error const& e) {
    EXPECT_EQ(e.kind(), error_kind::argument);
    return e.what();
  }
  return "nothing";
}

TEST(ladder, names_its_types) {
  EXPECT_EQ(type_names(),
            (names{"u8", "i8", "u16", "i16", "f16", "bf16", "u32", "i32", "f32", "u64", "i64", "f64", "c64", "c128"}));
  int const sizes[] = {1, 1, 2, 2, 2, 2, 4, 4, 4, 8, 8, 8, 8, 16};
  for (std::size_t i = 0; i < std::size(sizes); ++i) EXPECT_EQ(type_size(type_names()[i]), sizes[i]) << type_names()[i];
  EXPECT_EQ(refusal([] { type_size("f31"); }),
            "type is f31; it must be one of u8, i8, u16, i16, f16, bf16, u32, i32, f32, u64, i64, f64, c64, c128");
  EXPECT_EQ(refusal([] { type_size(""); }).substr(0, 23), "type is ; it must be on");
}

TEST(ladder, names_its_rungs_in_order) {
  EXPECT_EQ(rung_names(), (names{"copy", "naive-read", "naive-write", "smem-conflict-read", "smem-conflict-write", "smem-padded",
                                 "smem-swizzled", "vec-conflict-read", "vec-padded", "vec-swizzled", "vec-both"}));
}

std::string refusal_of(ladder_options const& options) {
  return refusal([&] { run_ladder(options); });
}

TEST(ladder, refuses_bad_options) {
  EXPECT_EQ(refusal_of({.rows = 0}), "rows is 0; it must be 1 or more");
  EXPECT_EQ(refusal_of({.cols = -7}), "cols is -7; it must be 1 or more");
  EXPECT_EQ(refusal_of({.rows = 64, .cols = 64, .repeats = 0}), "repeats is 0; it must be 1 or more");
  EXPECT_EQ(refusal_of({.type = "float"}).substr(0, 33), "type is float; it must be one of ");
  EXPECT_EQ(refusal_of({.rows = std::int64_t(1) << 40, .cols = std::int64_t(1) << 40}),
            "rows x cols is 1099511627776 x 1099511627776 of 4 bytes; it must be at most 2^63 - 1 bytes");
  EXPECT_EQ(refusal_of({.rows = std::int64_t(1) << 31, .cols = std::int64_t(1) << 30}),
            "rows x cols is 2147483648 x 1073741824 of 4 bytes; it must be at most 2^63 - 1 bytes");
  EXPECT_EQ(
      refusal_of({.rows = 64, .cols = 64, .kernels = {"copy", "memcpy"}}),
      "kernel is memcpy; it must be one of copy, naive-read, naive-write, smem-conflict-read, smem-conflict-write, smem-padded, "
      "smem-swizzled, vec-conflict-read, vec-padded, vec-swizzled, vec-both");
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
  for (auto const& type : {"u8", "bf16", "f32", "f64", "c128"}) {
    names told;
    auto const run = run_ladder({.type = type}, [&](std::string_view what) { told.emplace_back(what); });
    EXPECT_EQ(run.device, "");
    EXPECT_EQ(run.type, type);
    EXPECT_EQ(run.timing, "");
    EXPECT_LE(run.rows * run.cols, 1'000'000);  // a small one
    EXPECT_GT(run.rows * run.cols, 0);
    EXPECT_TRUE(run.all_right());
    ASSERT_EQ(run.rungs.size(), rung_names().size());
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

}  // namespace
}  // namespace cornerturn
