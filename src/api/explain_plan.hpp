#pragma once

#include "cornerturn/explain.hpp"
#include "plan/choose.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Explains a GPU's way to move a canonical problem, for buffers so aligned (bytes, as `explain_options` has them).
explanation explain_candidate(candidate const& chosen, problem const& moved, int source_align, int destination_align);

}  // namespace cornerturn
