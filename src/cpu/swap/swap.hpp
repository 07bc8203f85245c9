#pragma once

#include "cpu/run.hpp"
#include "cpu/swap/plan.hpp"

namespace cornerturn::cpu {

/// Runs a plan in place with the best enabled vector instructions of this processor. It allocates no memory, except to start
/// threads.
void run(cpu_swap const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cornerturn::cpu
