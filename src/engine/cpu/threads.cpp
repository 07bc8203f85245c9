#include "engine/cpu/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <iterator>
#include <thread>

#include "engine/cpu/quota.hpp"

namespace cornerturn::cpu {
namespace {

std::atomic<int> chosen = 0;

int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return int(std::thread::hardware_concurrency());
}

double granted() {
  std::ifstream groups("/proc/self/cgroup");
  return quota("/sys/fs/cgroup", {std::istreambuf_iterator(groups), {}});
}

}  // namespace

int thread_count() {
  if (int const asked = chosen) return asked;
  static double const most = std::ceil(granted());  // takes too long to be read for every call
  return std::max(1, int(std::min<double>(processors(), most)));
}

void set_thread_count(int threads) { chosen = threads; }

}  // namespace cornerturn::cpu
