#pragma once

#include <string_view>

#include "tile/catalogue.hpp"

namespace cornerturn {

/// The rung of a name handed in by a user, as an argument: "kernel", or "rung" of `explain`. Throws `error` for an unknown one,
/// naming the nearest.
rung kernel_named(std::string_view name, std::string_view argument = "kernel");

}  // namespace cornerturn
