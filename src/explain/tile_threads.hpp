#pragma once

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"
#include "kernel/rung/plan.hpp"

namespace cornerturn {

/// Fills in the threads of a shared-memory tile from a block's recording.
void name_threads(tile_map& tile, recording const& record, int element_size);

/// The tile of the first block in the source matrix at address `source`, with the threads that load its elements.
tile_map loaded_tile(rung_plan const& plan, recording const& record, std::uint64_t source);

}  // namespace cornerturn
