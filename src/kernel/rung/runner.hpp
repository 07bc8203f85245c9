#pragma once

#include <functional>

#include "block/recording.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/rung/variants.hpp"
#include "launch/run.hpp"

namespace cornerturn::host {

/// Calls work(runner) with the program of a plan, if the plan has this element type and its variant has this use. Each pair of a
/// type and a use has its own file, made from run.cpp.in, because the programs compile slowly.
template <class T, variant_use Use>
void run_elements(rung_plan const& plan, T const* source, T* destination, recording* record,
                  std::function<void(block_runner const&)> const& work);

}  // namespace cornerturn::host
