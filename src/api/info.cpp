#include "cornerturn/info.hpp"

#include <limits>

#include "cpu/groups.hpp"
#include "cpu/machine.hpp"
#include "cpu/memory.hpp"
#include "cpu/threads.hpp"
#include "engine/gpu/inventory.hpp"

namespace cornerturn {

namespace {

cpu_info cpu_inventory() {
  constexpr auto kNone = [](auto limit) { return limit == std::numeric_limits<decltype(limit)>::max(); };
  cpu_info result{.name = cpu::model(),
                  .instructions = cpu::known_instructions(),
                  .threads = cpu::thread_count(),
                  .processors = cpu::usable_processors(),
                  .cache_bytes = cpu::cache_sizes(cpu::kCaches),
                  .available_bytes = cpu::available_memory()};
  if (auto const quota = cpu::granted_processors(); !kNone(quota)) result.quota = quota;
  if (auto const limit = cpu::memory_limit(cpu::kMountedGroups, cpu::listed_groups()); !kNone(limit))
    result.memory_limit_bytes = limit;
  return result;
}

}  // namespace

build_info info() {
  build_info result;
  result.version = CORNERTURN_VERSION;
#if defined(__clang__)
  result.compiler = "clang " __clang_version__;
#else
  result.compiler = "g++ " __VERSION__;
#endif
  result.cpu = cpu_inventory();
  gpu::take_inventory(result);
  return result;
}

}  // namespace cornerturn
