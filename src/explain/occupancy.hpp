#pragma once

#include <cstdint>
#include <vector>

#include "explain/instructions.hpp"

namespace cornerturn {

/// What of a launch its instructions alone do not tell, as far as a prediction needs it.
struct launch_shape {
  int threads = 0;       ///< of a block
  int shared_bytes = 0;  ///< that its threads touch
  int held_words = 0;    ///< 4-byte registers that a thread fills before it stores
  std::int64_t blocks = 0;
  std::int64_t torn_sectors = 0;  ///< that a block's stores leave written in part, of all blocks
  bool rest_soon = true;          ///< the next block writes the rest of these: blocks walk the destination's rows
};
launch_shape shape_of(std::vector<recorded_block> const& blocks, int threads, bool rest_soon);

}  // namespace cornerturn
