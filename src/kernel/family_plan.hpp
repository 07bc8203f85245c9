#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernel/alignment.hpp"
#include "kernel/decisions.hpp"
#include "launch/block_class.hpp"
#include "launch/run.hpp"
#include "machine/launch_work.hpp"
#include "problem/problem.hpp"

/// What the plan types of all families are declared with.
namespace cornerturn {

/// The seconds that one launch of a plan of any family is expected to take on a GPU.
template <class Plan>
double expected_seconds(Plan const& plan, gpu_model const& gpu) {
  return seconds_of(work_of(plan, gpu), rates_of(plan, gpu), gpu);
}

}  // namespace cornerturn
