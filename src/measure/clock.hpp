#pragma once

#include <functional>

namespace cornerturn {

/// What one run of some work takes by the clock, in seconds. What is short runs several times in one interval.
double seconds_of(std::function<void()> const& work);

}  // namespace cornerturn
