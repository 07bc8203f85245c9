#pragma once

#include <cstdint>
#include <functional>

#include "measure/candidates.hpp"
#include "measure/compare_results.hpp"
#include "problem/validate.hpp"

namespace cornerturn::gpu {

/// Makes a stopwatch on a device. It owns buffers for the bytes that a problem reads and writes, with the given alignment and
/// with arbitrary contents. Throws `error` of kind device if there is no room for them.
stopwatch make_stopwatch(int device, byte_range const& read, byte_range const& written, alignment const& aligned);

/// Makes a stopwatch that owns one buffer of `bytes` bytes. placed(buffer) returns the memory of steps, but for the workspace.
stopwatch make_stopwatch(int device, std::int64_t bytes, std::function<plan_memory(void*)> const& placed);

/// Makes a function that copies both arrays to such buffers, runs a candidate, and copies the result back.
run_in_host_memory make_run_in_host_memory(int device, byte_range const& read, byte_range const& written,
                                           alignment const& aligned);

}  // namespace cornerturn::gpu
