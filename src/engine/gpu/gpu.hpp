#pragma once

#include <string>

#include "plan/choose.hpp"

namespace cornerturn::gpu {

/// Why no GPU can be used here (no GPU engine in the build, no driver, one that is too old, no device); empty where one can.
std::string why_unavailable();

/// Enqueues a GPU's candidate on `stream` (a cudaStream_t; null: the default one). Throws `error` where a launch fails.
void run(candidate const& chosen, void const* source, void* destination, void* stream);

}  // namespace cornerturn::gpu
