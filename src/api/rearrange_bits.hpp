#pragma once

#include "cornerturn/rearrange.hpp"
#include "pattern/sides.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Throws `error` if the elements of a destination overlap, or if the address ranges of both sides do.
void expect_apart(void const* source, pattern_side const& from, void const* destination, pattern_side const& to,
                  element_sizes const& sizes);

/// Moves packed elements of options.bits bits, 4, 2 or 1. Throws `error` for other elements, for arrays that do not consist of
/// whole bytes, and for moves that a GPU does not do.
void rearrange_bits(void const* source, void* destination, pattern_move const& move, elements const& element,
                    rearrange_options const& options);

}  // namespace cornerturn
