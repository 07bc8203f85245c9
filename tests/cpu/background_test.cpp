#include "cpu/background.hpp"

#include <gtest/gtest.h>

#include "support/no_threads.hpp"
#include "support/sanitized.hpp"

namespace cornerturn {
namespace {

TEST(cpu_background, does_other_things_beside_the_caller) {
  std::thread::id by;
  cpu::run_in_background([&](std::stop_token const& stop) {
    by = std::this_thread::get_id();
    while (!stop.stop_requested()) std::this_thread::yield();
  });
  EXPECT_NE(by, std::this_thread::get_id());
}

TEST(cpu_background, needs_no_thread_that_cannot_be_started) {
  if (test::is_sanitized()) GTEST_SKIP() << "the sanitizer has stacks of its own";
  auto const without_threads = [] {
    test::refuse_threads();
    std::thread::id by;
    cpu::run_in_background([&](std::stop_token const&) { by = std::this_thread::get_id(); });
    std::_Exit(by == std::this_thread::get_id() ? 0 : 1);
  };
  EXPECT_EXIT(without_threads(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cornerturn
