#pragma once

namespace cornerturn {

/// The alignment of both addresses in bytes: 1, 2, 4, 8 or 16.
struct alignment {
  int source = 16, destination = 16;
};
alignment alignment_of(void const* source, void const* destination);

}  // namespace cornerturn
