#pragma once

#include "cpu/quantize/plan.hpp"
#include "cpu/run.hpp"

namespace cornerturn::cpu {

/// Quantises a matrix. `source` is the address of its `quantize_call`.
void run(cpu_quantize const& plan, void const* source, void* destination, run_context const& context = {});

}  // namespace cornerturn::cpu
