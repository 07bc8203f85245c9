#pragma once

#include <cstdint>
#include <vector>

#include "plan/gather.hpp"
#include "plan/interleave.hpp"
#include "plan/plan.hpp"
#include "plan/small.hpp"
#include "plan/unaligned.hpp"

namespace cornerturn {

/// Blocks whose addresses differ by whole cache lines only: the index of one such block, and their number.
struct block_class {
  std::int64_t index, count;
};

/// Groups the blocks of a plan with one tile per block by their tile: whether it crosses the end of the matrix, and its offset in
/// a cache line on either side. `down`: consecutive blocks walk the destination's rows.
std::vector<block_class> classes_of(rung_plan const& plan, bool down);

/// The addresses of a launch's arrays. They need not be accessible.
struct array_addresses {
  std::uintptr_t source, destination;
};

/// Groups the blocks of the other kernels by everything that their accesses depend on: the tile's offset in a cache line on
/// either side, its extents, and whether one of its 16-byte units lies partly outside the source. Every block is computed, so a
/// launch of more than 2^26 blocks throws `error`.
std::vector<block_class> classes_of(gather_plan const& plan, array_addresses const& at);
std::vector<block_class> classes_of(interleave_plan const& plan, array_addresses const& at);
std::vector<block_class> classes_of(unaligned_plan const& plan, array_addresses const& at);
std::vector<block_class> classes_of(small_plan const& plan, array_addresses const& at);

}  // namespace cornerturn
