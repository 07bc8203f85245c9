#pragma once

#include "block/host.hpp"
#include "engine/host/host.hpp"
#include "tile/boxes.hpp"
#include "tile/programs.hpp"

namespace cornerturn::host {

/// One element type's share of `run`; each has a translation unit of its own, for these compile slowly.
template <class T>
void run_elements(plan const& plan, T const* source, T* destination, recording* record) {
  if (plan.blocks == 0) return;
  tile::visit_program<T>(plan.kernel, plan.widths, plan.tile, [&]<class Program>(Program program) {
    auto const args = tile::with_boxes<Program>(
        tile::matrices<T>::over(program, source + plan.source_offset, destination + plan.destination_offset, plan.shape),
        [](box_map const& map) { return map; });
    host_block block(Program::kThreads, Program::kSharedBytes, record);
    std::function<void()> const body = [&] { Program::run(block, args); };
    for (std::int64_t index = 0; index < plan.blocks; ++index) block.run(index, body);
  });
}

extern template void run_elements(plan const&, std::uint8_t const*, std::uint8_t*, recording*);
extern template void run_elements(plan const&, std::uint16_t const*, std::uint16_t*, recording*);
extern template void run_elements(plan const&, std::uint32_t const*, std::uint32_t*, recording*);
extern template void run_elements(plan const&, std::uint64_t const*, std::uint64_t*, recording*);
extern template void run_elements(plan const&, bits128 const*, bits128*, recording*);

}  // namespace cornerturn::host
