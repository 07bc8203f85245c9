#pragma once

#include <string>

#include "plan/choose.hpp"
#include "problem/problem.hpp"

namespace cornerturn::gpu {

/// Why no GPU can be used here (no GPU engine in the build, no driver, one that is too old, no device); empty where one can.
std::string why_unavailable();

/// Whether `pointer` is memory that the current GPU reaches by itself (device or managed). Throws `error` for another GPU's.
bool is_device_memory(void const* pointer);

/// Enqueues a plan on `stream` (a cudaStream_t; null: the default one). Throws `error` where a launch fails.
void run(rung_plan const& plan, void const* source, void* destination, void* stream);

/// The same for whichever kernel was chosen.
void run(candidate const& chosen, void const* source, void* destination, void* stream);

/// Runs a problem on arrays in host memory: copies the source over, runs the plan for it, copies the result back. `source` and
/// `destination` are the lowest addresses of dense arrays of `bytes` each. Throws `error` where the problem folds to neither a
/// copy nor a batched 2-D transpose, or memory is short.
void permute_host_memory(problem const& problem, void const* source, void* destination, std::size_t bytes);

}  // namespace cornerturn::gpu
