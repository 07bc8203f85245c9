#pragma once

#include <cstddef>

namespace cornerturn::tile {

/// In which form the program for any permutation is to run.
struct gather_form {
  bool wide = false;    ///< offsets within a tile need 64 bits
  bool single = false;  ///< elements are stored one by one, not in 16-byte vectors
  bool ragged = true;   ///< destination rows may begin or end within a vector
};

/// Blocks that a multiprocessor is to have registers for.
constexpr int gather_blocks(std::size_t element_size, bool wide) { return wide ? 5 : element_size >= 4 ? 8 : 6; }

}  // namespace cornerturn::tile
