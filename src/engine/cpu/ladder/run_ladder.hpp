#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "engine/cpu/ladder/rungs.hpp"

namespace cornerturn::cpu {

/// Runs the ladder on the CPU: verifies each rung, then times all rungs in turn, and with them two copies on as many threads as
/// the engine takes.
ladder_run run_ladder(ladder_options const& options, std::vector<cpu_rung> const& rungs,
                      std::function<void(std::string_view)> const& progress);

}  // namespace cornerturn::cpu
