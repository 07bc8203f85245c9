#include "explain/occupancy.hpp"

#include <algorithm>
#include <map>

#include "explain/requests.hpp"

namespace cornerturn {
namespace {

/// The number of sectors that one block writes in part.
std::int64_t partial_sectors(recording const& record) {
  std::map<std::uint64_t, std::uint32_t> written;
  for (auto const& each : record.accesses)
    if (each.store && each.active && each.space == memory_space::global)
      for (int byte = 0; byte < each.bytes; ++byte)
        written[(each.address + byte) / kSectorBytes] |= 1u << (each.address + byte) % kSectorBytes;
  return std::ranges::count_if(written, [](auto const& sector) { return sector.second != ~0u; });
}

int loaded_registers(recording const& record) {
  int words = 0;
  bool stored = false;
  for (auto const& each : record.accesses)
    if (each.thread == 0 && !each.box) {
      stored |= each.store;
      if (!stored) words += std::max(1, each.bytes / 4);
    }
  return words;
}

}  // namespace

launch_resources shape_of(std::vector<recorded_block> const& blocks, int threads, bool sectors_merge) {
  launch_resources shape{.threads = threads, .sectors_merge = sectors_merge};
  for (auto const& [count, record] : blocks) {
    shape.blocks += count;
    shape.partial_sectors += count * partial_sectors(record);
    shape.loaded_registers = std::max(shape.loaded_registers, loaded_registers(record));
    for (auto const& each : record.accesses)
      if (each.space == memory_space::shared) shape.shared_bytes = std::max(shape.shared_bytes, int(each.address) + each.bytes);
  }
  return shape;
}

}  // namespace cornerturn
