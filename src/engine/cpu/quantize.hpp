#pragma once

#include "kernel/quantize/job.hpp"

namespace cornerturn::cpu {

/// Quantises a matrix that has elements. `threads` limits the number of threads; 0: no limit besides `set_num_threads`.
void quantize(quantization const& given, void const* source, int threads);

}  // namespace cornerturn::cpu
