#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "plan/sweep.hpp"

namespace cornerturn::host {

/// The ladder without a GPU: each rung run once by the host executor on a small matrix and compared; nothing is timed.
ladder_run run_ladder(ladder_options const& options, std::vector<rung> const& rungs, tile_choice const& tiles,
                      std::function<void(std::string_view)> const& progress);

}  // namespace cornerturn::host
