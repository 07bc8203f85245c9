#pragma once

#include <vector>

#include "cornerturn/explain.hpp"

namespace cornerturn {

/// The problems that the counts of a kernel's instructions show, a sentence each, with what to do about it.
std::vector<finding> findings_of(std::vector<memory_instruction> const& instructions);

}  // namespace cornerturn
