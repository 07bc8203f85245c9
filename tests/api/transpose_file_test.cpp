#include <gtest/gtest.h>

#include <vector>

#include "cornerturn/cornerturn.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

/// A raw file of 1000 x 700 u16, and what is to become of it.
class transposing_a_file : public testing::Test {
 protected:
  static constexpr std::int64_t kRows = 1000, kCols = 700, kBytes = 2 * kRows * kCols;

  transposing_a_file() {
    std::string source(kBytes, '\0');
    for (std::size_t i = 0; i < source.size(); ++i) source[i] = char(i * 7 / 3);
    folder.put("in", source);
    expected = source;
    permute(source.data(), expected.data(), {kRows, kCols}, {1, 0}, 2);
    options.raw = raw_array{{kRows, kCols}, "u16"};
    options.processor = processor_kind::cpu;
  }

  test::scratch folder;
  std::string expected;
  file_options options;
};

TEST_F(transposing_a_file, tells_its_progress_up_to_1) {
  for (std::int64_t const memory : {0, 4 * 512 * 512}) {
    double last = 0;
    int told = 0;
    options.memory = memory;
    options.progress = [&](double share, std::int64_t bytes) {
      EXPECT_EQ(bytes, kBytes);
      EXPECT_GE(share, last);
      EXPECT_LE(share, 1);
      last = share;
      ++told;
    };
    transpose_file(folder / "in", folder / "out", options);
    EXPECT_EQ(last, 1) << memory;
    EXPECT_GE(told, 3);
    EXPECT_EQ(folder.get("out"), expected) << memory;
  }
}

/// A call that finishes what an earlier one began tells of its own work only.
TEST_F(transposing_a_file, tells_of_what_a_call_moves_in_place) {
  options.memory = 200'000;
  std::int64_t all = 0;
  options.progress = [&](double share, std::int64_t bytes) {
    all = bytes;
    if (share >= 0.4) throw share;
  };
  EXPECT_THROW(transpose_file_inplace(folder / "in", options), double);
  EXPECT_EQ(all, kBytes);
  double first = 0, last = 0;
  std::int64_t rest = 0;
  options.progress = [&](double share, std::int64_t bytes) {
    if (first == 0) first = share;
    EXPECT_GT(share, last);
    last = share, rest = bytes;
  };
  auto const report = transpose_file_inplace(folder / "in", options);
  EXPECT_LT(first, 0.2);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(report.bytes, kBytes);
  EXPECT_EQ(report.moved_bytes, rest);
  EXPECT_NEAR(double(rest), 0.6 * kBytes, 0.1 * kBytes);
  EXPECT_EQ(folder.get("in"), expected);
}

TEST_F(transposing_a_file, ends_where_progress_throws) {
  folder.put("out", "old");
  for (double const end : {0., 0.3, 0.5, 0.9, 1.}) {
    options.memory = 4 * 512 * 512;
    options.progress = [&](double share, std::int64_t) {
      if (share >= end) throw end;
    };
    EXPECT_THROW(transpose_file(folder / "in", folder / "out", options), double) << end;
    EXPECT_EQ(folder.get("out"), "old");
    EXPECT_EQ(folder.names(), (std::vector<std::string>{"in", "out"}));
  }
}

TEST_F(transposing_a_file, refuses_too_little_memory) {
  for (std::int64_t const memory : {-1, 1, 2 * 256 * 256 * 2 - 1}) {
    options.memory = memory;
    EXPECT_EQ(test::message_of([&] { transpose_file(folder / "in", folder / "out", options); }),
              "memory is " + std::to_string(memory) + "; it must be at least 262144 bytes for this array");
  }
  EXPECT_EQ(folder.names(), std::vector<std::string>{"in"});
}

}  // namespace
}  // namespace cornerturn
