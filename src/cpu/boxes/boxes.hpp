#pragma once

#include "cpu/boxes/plan.hpp"
#include "cpu/run.hpp"

namespace cornerturn::cpu {

/// The memory of a plan's threads.
thread_memory thread_memory_of(cpu_boxes const& plan, worker_threads const* workers);

/// Runs a plan in place with the best enabled vector instructions of this processor.
void run(cpu_boxes const& plan, void const* source, void* destination, run_context const& context);

}  // namespace cornerturn::cpu
