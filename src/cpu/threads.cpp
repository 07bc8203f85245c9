#include "cpu/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>

#include "base/fork_safe_static.hpp"
#include "base/refuse.hpp"
#include "cornerturn/threads.hpp"
#include "cpu/groups.hpp"
#include "cpu/quota.hpp"

namespace cornerturn::cpu {
namespace {

std::atomic<int> chosen = 0;  ///< threads that were set; 0 if none were

}  // namespace

int usable_processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return int(std::thread::hardware_concurrency());
}

double granted_processors() {
  static constinit fork_safe_static<double const> granted;
  return granted.get([] { return quota(kMountedGroups, listed_groups()); });  // reading it takes too long for every call
}

int thread_count(int limit) {
  int threads = chosen;
  if (threads == 0) threads = std::max(1, int(std::min<double>(usable_processors(), std::ceil(granted_processors()))));
  return limit == 0 ? threads : std::min(threads, limit);
}

}  // namespace cornerturn::cpu

void cornerturn::set_num_threads(int threads) {
  if (threads < 0) refuse("threads", threads, "0 or more");
  cpu::chosen = threads;
}

int cornerturn::num_threads() { return cpu::thread_count(); }
