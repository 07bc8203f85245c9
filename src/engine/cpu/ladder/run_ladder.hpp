#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "engine/cpu/ladder/rungs.hpp"

namespace cornerturn::cpu {

/// The ladder on the CPU: each rung verified, then all timed by turns beside two copies on as many threads as the engine takes.
ladder_run run_ladder(ladder_options const& options, std::vector<cpu_rung> const& rungs,
                 std::function<void(std::string_view)> const& progress);

}  // namespace cornerturn::cpu
