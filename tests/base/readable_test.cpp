#include "base/readable.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "gtest/gtest.h"

namespace cornerturn {
namespace {

TEST(readable, is_what_the_cpu_may_read) {
  auto const page = std::size_t(sysconf(_SC_PAGESIZE));
  auto* const pages = static_cast<char*>(mmap(nullptr, 2 * page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  ASSERT_EQ(mprotect(pages + page, page, PROT_NONE), 0);
  EXPECT_TRUE(is_readable(pages));
  EXPECT_TRUE(is_readable(pages + page - 1));
  EXPECT_FALSE(is_readable(pages + page));
  EXPECT_FALSE(is_readable(pages + 2 * page - 1));
  munmap(pages, 2 * page);
  EXPECT_FALSE(is_readable(pages));
  EXPECT_FALSE(is_readable(nullptr));
}

TEST(readable, leaves_errno_and_the_signals_as_they_are) {
  sigset_t before, after;
  sigprocmask(SIG_SETMASK, nullptr, &before);
  errno = ENOTDIR;
  EXPECT_TRUE(is_readable(&before));
  EXPECT_FALSE(is_readable(reinterpret_cast<void*>(64)));
  EXPECT_EQ(errno, ENOTDIR);
  sigprocmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal) EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
}

}  // namespace
}  // namespace cornerturn
