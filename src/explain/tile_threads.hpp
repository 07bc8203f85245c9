#pragma once

#include "block/recording.hpp"
#include "cornerturn/explain.hpp"
#include "plan/plan.hpp"

namespace cornerturn {

/// Names the threads of a tile in shared memory, as a block's recording has them.
void name_threads(tile_map& tile, recording const& record, int element_size);

/// The first block's tile in the source matrix, which begins at `source`, with the threads that load its elements.
tile_map loaded_tile(rung_plan const& plan, recording const& record, std::uint64_t source);

}  // namespace cornerturn
