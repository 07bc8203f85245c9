#include "explain/tile_threads.hpp"

#include <unordered_map>

namespace cornerturn {

void name_threads(tile_map& tile, recording const& record, int element_size) {
  std::unordered_map<std::int64_t, int> storing, loading;  // from offset to thread
  for (auto const& each : record.accesses)
    if (each.space == memory_space::shared && each.active)
      for (int at = 0; at < each.bytes; at += element_size)
        (each.store ? storing : loading)[std::int64_t(each.address + at) / element_size] = each.thread;
  for (auto const offset : tile.offsets) {
    auto const stored = storing.find(offset), loaded = loading.find(offset);
    tile.threads.push_back(stored != storing.end() ? stored->second : loaded != loading.end() ? loaded->second : -1);
  }
}

tile_map loaded_tile(rung_plan const& plan, recording const& record, std::uint64_t source) {
  tile_map tile{.space = memory_space::global, .rows = plan.tile.rows, .cols = plan.tile.cols};
  auto const pitch = plan.shape.source_pitch;
  for (int r = 0; r < tile.rows; ++r)
    for (int c = 0; c < tile.cols; ++c) tile.offsets.push_back(r * pitch + c);
  tile.threads.assign(tile.offsets.size(), -1);
  for (auto const& each : record.accesses) {
    if (each.store || !each.active || each.box) continue;
    for (int at = 0; at < each.bytes; at += plan.element_size) {
      auto const element = std::int64_t(each.address + at - source) / plan.element_size;
      auto const r = tile.rows > 1 ? element / pitch : 0, c = element - r * pitch;
      if (r < tile.rows && c < tile.cols) tile.threads[std::size_t(r * tile.cols + c)] = each.thread;
    }
  }
  return tile;
}

}  // namespace cornerturn
