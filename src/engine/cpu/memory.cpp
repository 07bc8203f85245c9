#include "engine/cpu/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace cornerturn::cpu {
namespace {

constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();

std::int64_t of_the_system() {
  std::ifstream file("/proc/meminfo");
  std::int64_t kilobytes = 0;
  for (std::string name, unit; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes << 10;
  return std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

std::int64_t of_the_group() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  std::int64_t bytes = 0;
  return file >> bytes ? bytes : kNoLimit;
}

}  // namespace

std::int64_t available_memory() { return std::min(of_the_system(), of_the_group()); }

}  // namespace cornerturn::cpu
