#pragma once

#include <cstddef>

namespace cornerturn::tile {

/// Selects the gather program that a plan runs.
struct gather_form {
  bool wide = false;    ///< offsets within a tile need 64 bits
  bool single = false;  ///< elements are stored one by one, not in 16-byte vectors
  bool ragged = true;   ///< destination rows may begin or end within a vector
};

/// Blocks whose registers should fit on an SM at once.
constexpr int gather_blocks(std::size_t element_size, bool wide) { return wide ? 5 : element_size >= 4 ? 8 : 6; }

}  // namespace cornerturn::tile
