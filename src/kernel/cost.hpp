#pragma once

#include "machine/launch_work.hpp"

namespace cornerturn {

/// The seconds that one launch of a plan of any family is expected to take on a GPU.
template <class Plan>
double expected_seconds(Plan const& plan, gpu_model const& gpu) {
  return seconds_of(work_of(plan, gpu), rates_of(plan, gpu), gpu);
}

}  // namespace cornerturn
