#pragma once

#include <cstdint>

namespace cornerturn {

/// Blocks whose addresses differ by whole cache lines only: the index of one such block, and their number.
struct block_class {
  std::int64_t index, count;
};

/// The addresses of a launch's arrays. They need not be accessible.
struct array_addresses {
  std::uintptr_t source, destination;
};

}  // namespace cornerturn
