#include "problem/warn.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "support/warnings.hpp"

namespace cornerturn {
namespace {

TEST(warn, tells_the_hook) {
  test::warnings warned;
  warn("one");
  warn("two");
  EXPECT_EQ(warned.all, (std::vector<std::string>{"one", "two"}));
}

TEST(warn, goes_to_standard_error_without_one) {
  testing::internal::CaptureStderr();
  warn("three");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "cornerturn: three\n");
}

TEST(warn, survives_a_hook_that_throws) {
  set_log_hook([](std::string_view) { throw std::runtime_error("no"); });
  warn("four");
  set_log_hook(nullptr);
}

}  // namespace
}  // namespace cornerturn
