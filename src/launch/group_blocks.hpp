#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "base/hash.hpp"
#include "base/refuse.hpp"
#include "block/sizes.hpp"
#include "launch/block_class.hpp"

namespace cornerturn {

/// A list of all numbers on which the accesses of a block depend. Blocks with equal lists have equal accesses.
using block_kind = std::vector<std::int64_t>;

/// The offset in a cache line, or in a longer period that is a power of two, in bytes.
inline std::int64_t in_line(std::int64_t bytes, std::int64_t period = 1) {
  return bytes & (std::max<std::int64_t>(kLineBytes, period) - 1);
}

/// Groups blocks 0 to `blocks` - 1 by their kind, which write(index, kind) appends to an empty list. Groups are ordered by their
/// first block.
template <class Write>
std::vector<block_class> grouped(std::int64_t blocks, Write const& write) {
  constexpr std::int64_t kMostBlocks = std::int64_t(1) << 26;
  if (blocks > kMostBlocks) refuse("the plan's number of blocks", blocks, fmt::format("at most {} to be explained", kMostBlocks));
  std::unordered_map<block_kind, std::size_t, numbers_hash> known;
  std::vector<block_class> result;
  block_kind kind;
  for (std::int64_t index = 0; index < blocks; ++index) {
    kind.clear();
    write(index, kind);
    auto const [at, is_new] = known.try_emplace(kind, result.size());
    if (is_new) result.push_back({index, 0});
    ++result[at->second].count;
  }
  return result;
}

/// The address range of the source. An aligned 16-byte unit may extend beyond it.
struct source_memory {
  std::int64_t pointer, low, high;  ///< addresses

  template <class Plan>
  source_memory(Plan const& plan, array_addresses const& at)
      : pointer(std::int64_t(at.source) + plan.source_offset * plan.element_size),
        low(pointer + plan.job.source_low),
        high(pointer + plan.job.source_high) {}

  /// Returns a number that tells apart the blocks with a 16-byte unit partly outside the source: each of them gets `tile`, its
  /// offset, and all other blocks get one number. `tile`, `first` and `past_last` are bytes from the pointer.
  std::int64_t kind_of_ends(std::int64_t tile, std::int64_t first, std::int64_t past_last) const {
    bool const overlaps =
        ((pointer + first) & -kUnitBytes) < low || ((pointer + past_last + kUnitBytes - 1) & -kUnitBytes) > high;
    return overlaps ? tile : std::numeric_limits<std::int64_t>::max();
  }
};

}  // namespace cornerturn
