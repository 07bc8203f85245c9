#include "cpu/quota.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <limits>

#include "cpu/threads.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

TEST(cpu_quota, is_the_least_of_the_groups_above_a_process) {
  test::scratch const mounted;
  std::filesystem::create_directories(mounted / "user" / "session");
  constexpr double kUnlimited = std::numeric_limits<double>::max();
  std::string const groups = "1:cpu:/elsewhere\n0::/user/session\n";
  EXPECT_EQ(cpu::quota(mounted / "", groups), kUnlimited);
  mounted.put("user/cpu.max", "350000 100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", groups), 3.5);
  mounted.put("user/session/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", groups), 3.5);
  mounted.put("user/session/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", groups), 0.5);
  EXPECT_EQ(cpu::quota(mounted / "", "0::/\n"), kUnlimited);
  mounted.put("cpu.max", "20000 100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", "0::/\n"), 0.2);
}

TEST(cpu_quota, is_read_of_the_first_version_too) {
  test::scratch const mounted;
  std::filesystem::create_directories(mounted / "cpu" / "jobs" / "7");
  std::string const groups = "11:memory:/elsewhere\n4:cpu,cpuacct:/jobs/7\n3:cpuset:/\n0::/\n";
  mounted.put("cpu/cpu.cfs_quota_us", "-1\n");
  mounted.put("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", groups), std::numeric_limits<double>::max());
  mounted.put("cpu/jobs/7/cpu.cfs_quota_us", "25000\n");
  mounted.put("cpu/jobs/7/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(cpu::quota(mounted / "", groups), 0.5);
  mounted.put("cpu/jobs/cpu.cfs_quota_us", "30000\n");
  mounted.put("cpu/jobs/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", groups), 0.3);
}

TEST(cpu_quota, is_that_of_a_container_whose_groups_have_other_names_outside) {
  test::scratch const mounted;
  std::filesystem::create_directories(mounted / "cpu");
  mounted.put("cpu/cpu.cfs_quota_us", "150000\n");
  mounted.put("cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu::quota(mounted / "", "2:cpu:/pods/1234\n"), 1.5);
}

TEST(cpu_thread_count, follows_the_affinity_of_each_call) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  int const usable = cpu::thread_count();
  EXPECT_LE(usable, CPU_COUNT(&before));
  int first = 0;
  while (!CPU_ISSET(first, &before)) ++first;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(cpu::thread_count(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(cpu::thread_count(), usable);
}

}  // namespace
}  // namespace cornerturn
