#pragma once

#include <functional>

namespace cornerturn {

/// The seconds that one run of some work takes by the wall clock. Short work runs several times per interval.
double seconds_of(std::function<void()> const& work);

}  // namespace cornerturn
