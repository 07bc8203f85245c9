#pragma once

#include "problem/problem.hpp"

namespace cornerturn::cpu {

/// Does what `permute` does, on as many threads as help to saturate the memory.
void permute_on_threads(problem const& canonical, void const* source, void* destination);

}  // namespace cornerturn::cpu
