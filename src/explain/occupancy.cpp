#include "explain/occupancy.hpp"

#include <algorithm>
#include <map>

#include "explain/requests.hpp"

namespace cornerturn {
namespace {

/// The number of sectors that one block writes in part.
std::int64_t torn_sectors(recording const& record) {
  std::map<std::uint64_t, std::uint32_t> written;
  for (auto const& each : record.accesses)
    if (each.store && each.active && each.space == memory_space::global)
      for (int byte = 0; byte < each.bytes; ++byte)
        written[(each.address + byte) / kSectorBytes] |= 1u << (each.address + byte) % kSectorBytes;
  return std::ranges::count_if(written, [](auto const& sector) { return sector.second != ~0u; });
}

int held_words(recording const& record) {
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

launch_shape shape_of(std::vector<recorded_block> const& blocks, int threads, bool rest_soon) {
  launch_shape shape{.threads = threads, .rest_soon = rest_soon};
  for (auto const& [count, record] : blocks) {
    shape.blocks += count;
    shape.torn_sectors += count * torn_sectors(record);
    shape.held_words = std::max(shape.held_words, held_words(record));
    for (auto const& each : record.accesses)
      if (each.space == memory_space::shared) shape.shared_bytes = std::max(shape.shared_bytes, int(each.address) + each.bytes);
  }
  return shape;
}

}  // namespace cornerturn
