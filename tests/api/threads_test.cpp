#include "cornerturn/threads.hpp"

#include <gtest/gtest.h>

#include "support/message.hpp"

namespace cornerturn {
namespace {

TEST(num_threads, is_what_was_set_or_what_the_process_may_use) {
  int const usable = num_threads();
  EXPECT_GE(usable, 1);
  set_num_threads(3);
  EXPECT_EQ(num_threads(), 3);
  EXPECT_EQ(test::message_of([] { set_num_threads(-1); }), "threads is -1; it must be 0 or more");
  EXPECT_EQ(num_threads(), 3);
  set_num_threads(0);
  EXPECT_EQ(num_threads(), usable);
}

}  // namespace
}  // namespace cornerturn
