#pragma once

#include "kernel/choices.hpp"

namespace cornerturn {

/// A plan and the seconds that it is expected to take.
template <class Plan>
struct estimate {
  Plan plan;
  double seconds;
};

}  // namespace cornerturn
