#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "cornerturn/ladder.hpp"
#include "engine/cpu/ladder/rungs.hpp"

namespace cornerturn::cpu {

/// Runs the ladder on the CPU: verifies each rung, then times all rungs in turn, together with two copies. The copies have the
/// engine's number of threads.
ladder_run run_ladder(ladder_options const& options, std::vector<cpu_rung> const& rungs,
                      std::function<void(std::string_view)> const& progress);

}  // namespace cornerturn::cpu
