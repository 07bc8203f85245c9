#pragma once

#include <cstdint>

namespace cornerturn {

/// Blocks whose addresses differ only by whole cache lines.
struct block_class {
  std::int64_t index;  ///< index of one such block in the grid
  std::int64_t count;  ///< number of such blocks
};

/// The addresses of a launch's arrays. They need not be accessible.
struct array_addresses {
  std::uintptr_t source, destination;
};

}  // namespace cornerturn
