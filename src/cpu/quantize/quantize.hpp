#pragma once

#include "kernel/quantize/job.hpp"
#include "machine/cpu_model.hpp"

namespace cornerturn::cpu {

/// Quantises a matrix that has elements.
void quantize(quantization const& given, void const* source, thread_limits const& threads);

}  // namespace cornerturn::cpu
