#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cornerturn/text.hpp"

namespace cornerturn {
namespace {

using names = std::vector<std::string>;

TEST(similar_names, counts_each_kind_of_error_once) {
  for (auto const* const misspelt : {"axes", "axs", "axees", "axis", "aexs", "AXES", "xes", "axe"})
    EXPECT_EQ(similar_names(misspelt, {"rank", "axes"}), names{"axes"}) << misspelt;
}

TEST(similar_names, allows_one_error_for_three_letters) {
  EXPECT_EQ(similar_names("trnaspoes", {"transpose", "tune"}), names{"transpose"});
  EXPECT_EQ(similar_names("vec-best", {"vec-both"}), names{});
  EXPECT_EQ(similar_names("turn", {"tune"}), names{});
  EXPECT_EQ(similar_names("f33", {"u8", "f32"}), names{"f32"});
}

TEST(similar_names, knows_beginnings_and_parts) {
  EXPECT_EQ(similar_names("smem-conflct", {"smem-conflict-read", "smem-padded", "smem-conflict-write"}),
            (names{"smem-conflict-read", "smem-conflict-write"}));
  EXPECT_EQ(similar_names("e4m3", {"f8_e4m3fn", "f8_e5m2"}), names{"f8_e4m3fn"});
  EXPECT_EQ(similar_names("tune", {}), names{});
  EXPECT_EQ(similar_names("", {"tune"}), names{});
}

TEST(similar_names, may_leave_out_dashes) {
  EXPECT_EQ(similar_names("halp", {"--help"}), names{"--help"});
  EXPECT_EQ(similar_names("--mem", {"memory", "--memory"}), names{"--memory"});
}

TEST(did_you_mean, names_two_at_most) {
  EXPECT_EQ(did_you_mean("rowz", {"rows", "cols"}), "; did you mean rows?");
  EXPECT_EQ(did_you_mean("naive", {"naive-read", "naive-write"}), "; did you mean naive-read or naive-write?");
  EXPECT_EQ(did_you_mean("naive", {"naive-a", "naive-b", "naive-c"}), "");
  EXPECT_EQ(did_you_mean("xyz", {"rows"}), "");
  EXPECT_EQ(did_you_mean(names{"rows", "cols"}), "; did you mean rows or cols?");
}

}  // namespace
}  // namespace cornerturn
