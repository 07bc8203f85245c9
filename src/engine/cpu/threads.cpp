#include "engine/cpu/threads.hpp"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <thread>

namespace cornerturn::cpu {
namespace {

std::atomic<int> chosen = 0;

int processors() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
  return int(std::thread::hardware_concurrency());
}

/// Processors' worth of time that the control group grants; many where it grants all.
double quota() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  double time = 0, period = 0;
  return file >> time >> period && period > 0 ? time / period : 1e9;
}

}  // namespace

int thread_count() {
  static int const usable = std::max(1, int(std::min<double>(processors(), std::ceil(quota()))));
  int const asked = chosen;
  return asked ? asked : usable;
}

void set_thread_count(int threads) { chosen = threads; }

}  // namespace cornerturn::cpu
