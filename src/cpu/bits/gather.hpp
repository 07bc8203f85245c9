#pragma once

#include <cstddef>

#include "pattern/sides.hpp"
#include "problem/packed_matrices.hpp"

namespace cornerturn::cpu {

/// Moves packed elements one after another, on at most `threads` threads. Expects sides that consist of whole bytes and a
/// destination that is not empty. The low bits of *pad are the element where the source has none; null if it has all.
void gather_elements(std::byte const* source, std::byte* destination, pattern_move const& move, bit_packing const& packed,
                     std::byte const* pad, int threads);

}  // namespace cornerturn::cpu
