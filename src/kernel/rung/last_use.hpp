#pragma once

#include "kernel/rung/variants.hpp"

namespace cornerturn {

/// The last value of `variant_use` whose kernels this build has.
inline constexpr variant_use kLastUse = variant_use::CORNERTURN_KERNELS;

}  // namespace cornerturn
