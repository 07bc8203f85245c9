#pragma once

#include "cpu/panels/plan.hpp"
#include "cpu/run.hpp"

namespace cornerturn::cpu {

/// The memory of a plan's threads.
thread_memory thread_memory_of(cpu_panels const& plan, worker_threads const* workers);

/// Runs a plan in place.
void run(cpu_panels const& plan, void const* source, void* destination, run_context const& context);

}  // namespace cornerturn::cpu
