#include "cpu/memory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <limits>

#include "support/scratch.hpp"

namespace cornerturn {
namespace {

TEST(available_memory, is_some_of_what_the_machine_has) {
  EXPECT_GT(cpu::available_memory(), 1 << 20);
  EXPECT_LE(cpu::available_memory(), std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE));
}

TEST(memory_limit, is_the_least_of_the_groups_above_a_process) {
  test::scratch const mounted;
  std::filesystem::create_directories(mounted / "user" / "session");
  std::string const groups = "0::/user/session\n";
  EXPECT_EQ(cpu::memory_limit(mounted / "", groups), std::numeric_limits<std::int64_t>::max());
  mounted.put("user/session/memory.max", "max\n");
  mounted.put("user/memory.max", "3000000000\n");
  EXPECT_EQ(cpu::memory_limit(mounted / "", groups), 3'000'000'000);
  mounted.put("user/session/memory.max", "2000000000\n");
  EXPECT_EQ(cpu::memory_limit(mounted / "", groups), 2'000'000'000);
  EXPECT_EQ(cpu::memory_limit(mounted / "", "0::/user\n"), 3'000'000'000);
}

TEST(memory_limit, is_read_of_the_first_version_too) {
  test::scratch const mounted;
  for (auto const* const folder : {"memory/jobs/7", "unified/jobs"}) std::filesystem::create_directories(mounted / folder);
  std::string const groups = "4:memory:/jobs/7\n0::/jobs\n";
  mounted.put("memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(cpu::memory_limit(mounted / "", groups), std::numeric_limits<std::int64_t>::max());
  mounted.put("memory/jobs/memory.limit_in_bytes", "1000000\n");
  mounted.put("memory/jobs/7/memory.limit_in_bytes", "2000000\n");
  EXPECT_EQ(cpu::memory_limit(mounted / "", groups), 1'000'000);
  mounted.put("unified/jobs/memory.max", "500000\n");
  EXPECT_EQ(cpu::memory_limit(mounted / "", groups), 500'000);
}

}  // namespace
}  // namespace cornerturn
