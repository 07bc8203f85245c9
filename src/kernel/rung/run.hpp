#pragma once

#include "kernel/rung/programs.hpp"
#include "kernel/rung/runner.hpp"
#include "kernel/rung/shared_tiles.hpp"
#include "launch/host.hpp"
#include "tile/boxes.hpp"

namespace cornerturn::host {

template <class T, variant_use Use>
void run_elements(rung_plan const& plan, T const* source, T* destination, recording* record,
                  std::function<void(block_runner const&)> const& work) {
  if (plan.blocks == 0) return;
  tile::visit_program<T, Use>(plan.kernel, plan.widths, plan.tile, [&]<class Program>(Program program) {
    auto const args = tile::with_tensor_maps<Program>(
        tile::matrices<T>::over(program, source + plan.source_offset, destination + plan.destination_offset, plan.shape),
        [](tensor_map const& map) { return map; });
    visit_runner_of(untyped<Program>(args, plan.blocks, Program::kSharedBytes, &shared_tiles_of<Program>), record, work);
  });
}

}  // namespace cornerturn::host
