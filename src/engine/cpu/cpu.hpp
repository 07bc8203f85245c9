#pragma once

#include <functional>

#include "problem/problem.hpp"

namespace cornerturn::cpu {

/// Runs a canonical problem on arrays in host memory, on the calling thread. The pointers are those that the problem's offsets
/// count from and need no alignment. Expects a problem that `validate` accepts and memory that does not overlap.
///
/// `progress`, where given, is told the share done, 0 to 1, every few megabytes; what it throws ends the work and passes through.
void permute(problem const& canonical, void const* source, void* destination, std::function<void(double)> const& progress = {});

}  // namespace cornerturn::cpu
