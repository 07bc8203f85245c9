#pragma once

#include "cornerturn/rearrange.hpp"
#include "pattern/sides.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Throws `error` if the elements of a destination overlap, or if the address ranges of both sides do.
void expect_apart(void const* source, pattern_side const& from, void const* destination, pattern_side const& to,
                  element_sizes const& sizes);

/// Throws `error` unless packed elements have 4, 2 or 1 bits, in elements of 1 byte.
void expect_packed(elements const& element, rearrange_options const& options);

/// Moves packed elements that `expect_packed` accepts. Throws `error` for arrays that do not consist of whole bytes, for host
/// memory on a GPU unless bytes stay whole, and for a swizzle of elements that must be moved one by one.
void rearrange_bits(void const* source, void* destination, pattern_move const& move, rearrange_options const& options);

}  // namespace cornerturn
