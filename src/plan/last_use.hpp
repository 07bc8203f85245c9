#pragma once

#include "tile/variants.hpp"

namespace cornerturn {

/// The last use whose variants this build has.
inline constexpr variant_use kLastUse = variant_use::CORNERTURN_KERNELS;

}  // namespace cornerturn
