#pragma once

#include <string_view>

#include "engine/cpu/ladder/rungs.hpp"
#include "kernel/rung/catalogue.hpp"

namespace cornerturn {

/// The rung of a name that a user gives as an argument: "kernel", or "rung" of `explain`. Throws `error` for an unknown name; the
/// message has the nearest one.
rung kernel_named(std::string_view name, std::string_view argument = "kernel");

/// Like `kernel_named`, for the CPU's ladder.
cpu::cpu_rung cpu_rung_named(std::string_view name);

}  // namespace cornerturn
