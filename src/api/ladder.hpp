#pragma once

#include <string_view>

#include "kernel/rung/catalogue.hpp"

namespace cornerturn {

/// The rung of a name that a user gives as an argument: "kernel", or "rung" of `explain`. Throws `error` for an unknown name; the
/// message has the nearest one.
rung kernel_named(std::string_view name, std::string_view argument = "kernel");

}  // namespace cornerturn
