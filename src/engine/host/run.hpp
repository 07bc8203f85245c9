#pragma once

#include "block/host.hpp"
#include "engine/host/host.hpp"
#include "engine/host/shared_tiles.hpp"
#include "tile/boxes.hpp"
#include "tile/programs.hpp"

namespace cornerturn::host {

/// A plan's program, ready to run.
struct block_runner {
  bool down;  ///< consecutive blocks walk the destination's rows
  std::vector<tile_map> (*tiles)();
  std::function<void(std::int64_t)> run;  ///< one block, by its number in the grid
};

/// One element type's share of `run` and `record`: hands the plan's program to `work`. Each type has a translation unit of its
/// own, for these compile slowly.
template <class T>
void run_elements(rung_plan const& plan, T const* source, T* destination, recording* record,
                  std::function<void(block_runner const&)> const& work) {
  if (plan.blocks == 0) return;
  tile::visit_program<T>(plan.kernel, plan.widths, plan.tile, [&]<class Program>(Program program) {
    auto const args = tile::with_boxes<Program>(
        tile::matrices<T>::over(program, source + plan.source_offset, destination + plan.destination_offset, plan.shape),
        [](box_map const& map) { return map; });
    host_block block(Program::kThreads, Program::kSharedBytes, record);
    std::function<void()> const body = [&] { Program::run(block, args); };
    work({Program::kWalk == tile::walk::destination_rows, &shared_tiles_of<Program>,
          [&](std::int64_t index) { block.run(index, body); }});
  });
}

extern template void run_elements(rung_plan const&, std::uint8_t const*, std::uint8_t*, recording*,
                                  std::function<void(block_runner const&)> const&);
extern template void run_elements(rung_plan const&, std::uint16_t const*, std::uint16_t*, recording*,
                                  std::function<void(block_runner const&)> const&);
extern template void run_elements(rung_plan const&, std::uint32_t const*, std::uint32_t*, recording*,
                                  std::function<void(block_runner const&)> const&);
extern template void run_elements(rung_plan const&, std::uint64_t const*, std::uint64_t*, recording*,
                                  std::function<void(block_runner const&)> const&);
extern template void run_elements(rung_plan const&, bits128 const*, bits128*, recording*,
                                  std::function<void(block_runner const&)> const&);

}  // namespace cornerturn::host
