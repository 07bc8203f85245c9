#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "plan/sweep.hpp"

namespace cornerturn::host {

/// Runs the ladder without a GPU: the host executor runs each rung once on a small matrix and verifies the result, untimed.
ladder_run run_ladder(ladder_options const& options, std::vector<rung> const& rungs, tile_choice const& tiles,
                      std::function<void(std::string_view)> const& progress);

}  // namespace cornerturn::host
