#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "plan/sweep.hpp"

namespace cornerturn::gpu {

/// Runs the ladder on the current device: verifies each rung, then times all rungs together with memcpy and cuBLAS geam. Expects
/// valid options.
ladder_run run_ladder(ladder_options const& options, std::vector<rung> const& rungs, tile_choice const& tiles,
                      std::function<void(std::string_view)> const& progress);

}  // namespace cornerturn::gpu
