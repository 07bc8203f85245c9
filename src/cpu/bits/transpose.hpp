#pragma once

#include <cstddef>

#include "problem/packed_matrices.hpp"

namespace cornerturn::cpu {

/// Transposes each matrix, on at most `threads` threads; 0: no limit besides `set_num_threads`.
void transpose_packed(std::byte const* source, std::byte* destination, packed_matrices const& all, int threads);

}  // namespace cornerturn::cpu
