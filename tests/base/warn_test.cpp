#include "base/warn.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

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

TEST(warn, lets_the_hook_fork) {
  set_log_hook([](std::string_view) {
    pid_t const child = fork();
    if (child == 0) {
      set_log_hook(nullptr);
      _exit(0);
    }
    int status = 1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  });
  warn("five");
  set_log_hook(nullptr);
}

TEST(warn, lets_the_hook_set_another) {
  std::vector<std::string> said;
  set_log_hook([&](std::string_view first) {
    said.emplace_back(first);
    set_log_hook([&](std::string_view second) { said.emplace_back(second); });
    said.emplace_back(first);  // still there
  });
  warn("six");
  warn("seven");
  set_log_hook(nullptr);
  EXPECT_EQ(said, (std::vector<std::string>{"six", "six", "seven"}));
}

}  // namespace
}  // namespace cornerturn
