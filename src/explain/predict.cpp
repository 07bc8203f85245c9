#include "explain/predict.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "block/sizes.hpp"
#include "machine/launch_work.hpp"

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

/// The L2 cache's time for one instruction, in loaded sectors. A request asks for each of its 128-byte lines at once: a store
/// costs a sector for the line besides its sectors, a load at least two sectors. The L1 cache hits in some of the lines that
/// several warps load.
double l2_sectors(memory_instruction const& each, prediction_rates const& known) {
  auto const sectors = double(each.sectors), lines = double(each.lines), needed = double(each.ideal_sectors);
  if (each.store) return known.stored_sector * (sectors + lines);
  double const asked = std::max(2 * lines, sectors);
  return each.box || asked <= needed ? asked : std::sqrt(asked * needed);
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

prediction predict(std::vector<memory_instruction> const& instructions, launch_resources const& shape, gpu_model const& gpu) {
  auto const& known = gpu.predictions;
  launch_work work{.detour = shape.sectors_merge ? 1 : known.source_order_factor,
                   .tiles = double(shape.blocks),
                   .resident = resident_blocks({.threads = double(shape.threads),
                                                .shared_bytes = double(shape.shared_bytes),
                                                .registers = known.own_registers + shape.loaded_registers},
                                               gpu.limits)};
  double requests = 0, chain = known.load_seconds;
  for (auto const& each : instructions) {
    bool const shared = each.space == memory_space::shared;
    if (!shared) work.bytes += double(each.bytes_needed), work.sectors += l2_sectors(each, known);
    if (each.box) chain += known.tma_box_seconds;
    if (each.box) continue;
    work.wavefronts += double(shared ? each.wavefronts : each.lines);
    requests += double(each.requests) * (shared && each.swizzled ? 1 + known.swizzled_request : 1);
  }
  if (shape.shared_bytes > 0) chain += known.shared_memory_seconds;
  if (!shape.sectors_merge) work.sectors += known.far_sectors * double(shape.partial_sectors);
  double const warps = double(shape.blocks) * std::ceil(shape.threads / double(kWarp));
  work.instructions = warps * known.warp_instructions + requests * known.request_instructions;

  auto rates = known.resources;
  rates.tile_seconds = rates.start_seconds = chain;
  auto const times = resources_of(work, rates, gpu);
  std::pair<std::string_view, double> const resources[] = {{"DRAM", times.dram},
                                                           {"L2 sectors", times.l2},
                                                           {"L1 wavefronts", times.wavefronts},
                                                           {"issue slots", times.instructions},
                                                           {"latency", times.latency}};
  auto const& [limit, longest] = *std::ranges::max_element(resources, {}, &std::pair<std::string_view, double>::second);
  return {(work.bytes / rates.bytes_per_second + known.copy_start_seconds) / seconds_of(work, rates, gpu),
          std::string(longest > chain ? limit : "latency")};
}

}  // namespace cornerturn
