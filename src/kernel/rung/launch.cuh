#pragma once

#include "kernel/rung/launch.hpp"
#include "kernel/rung/programs.hpp"
#include "launch/launch.cuh"
#include "launch/tensor_map.hpp"

namespace cornerturn::gpu {

template <class T, variant_use Use>
void launch_elements(rung_plan const& plan, T const* source, T* destination, cudaStream_t stream) {
  tile::visit_program<T, Use>(plan.kernel, plan.widths, plan.tile, [&]<class Program>(Program program) {
    auto const matrices =
        tile::matrices<T>::over(program, source + plan.source_offset, destination + plan.destination_offset, plan.shape);
    launch(program, tile::with_tensor_maps<Program>(matrices, encode), plan.blocks, Program::kSharedBytes, stream);
  });
}

}  // namespace cornerturn::gpu
