#pragma once

#include "cpu/limits.hpp"
#include "kernel/quantize/job.hpp"

namespace cornerturn::cpu {

/// Quantises a matrix that has elements.
void quantize(quantization const& given, void const* source, thread_limits const& threads);

}  // namespace cornerturn::cpu
