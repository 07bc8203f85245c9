#pragma once

#include <cstddef>

#include "problem/problem.hpp"

namespace cornerturn::test {

/// The definition itself, one element after another.
void permute_plainly(problem const& p, std::byte const* source, std::byte* destination);

/// Replaces each NaN that a problem with an operation has written by one with the same bits, because processors disagree on them.
void unify_nans(problem const& p, std::byte* destination);

}  // namespace cornerturn::test
