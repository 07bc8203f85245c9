#pragma once

#include <cstdint>

namespace cornerturn {

/// The chunks of a rectangle's longer side.
struct chunking {
  std::int64_t length = 0, count = 0, left = 0;  ///< indices of a chunk, chunks, and indices that remain
};

}  // namespace cornerturn
