#include "cpu/memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "cpu/groups.hpp"

namespace cornerturn::cpu {
namespace {

std::int64_t of_the_system() {
  std::ifstream file("/proc/meminfo");
  std::int64_t kilobytes = 0;
  for (std::string name, unit; file >> name >> kilobytes; std::getline(file, unit))
    if (name == "MemAvailable:") return kilobytes << 10;
  return std::int64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

}  // namespace

std::int64_t memory_limit(std::filesystem::path const& mounted, std::string const& listed) {
  constexpr auto kNone = std::numeric_limits<std::int64_t>::max();
  auto least = kNone;
  for (auto const& group : groups(mounted, listed, "memory"))
    for (auto const* const name : {"memory.max", "memory.limit_in_bytes"}) {
      std::ifstream file(group / name);
      std::int64_t bytes = 0;  // without a limit, version 2 has "max", and version 1 has the largest number of whole pages
      if (file >> bytes && bytes < kNone / 2) least = std::min(least, bytes);
    }
  return least;
}

std::int64_t available_memory() { return std::min(of_the_system(), memory_limit(kMountedGroups, listed_groups())); }

}  // namespace cornerturn::cpu
