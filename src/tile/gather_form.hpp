#pragma once

namespace cornerturn::tile {

/// Which of the programs for any permutation, and in which form.
struct gather_form {
  bool wide = false;    ///< offsets within a tile need 64 bits
  bool turns = false;   ///< squares of bytes are turned in registers
  bool single = false;  ///< elements are stored one by one, not in 16-byte vectors
  bool ragged = true;   ///< destination rows may begin or end within a vector
};

}  // namespace cornerturn::tile
