#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "block/host_device.hpp"
#include "tile/fast_divmod.hpp"

namespace cornerturn {

/// The arrays of one layout that a launch reads. The launch has the blocks of each array, one array after another. The list is
/// passed by value, as a part of the kernel's parameters, so no memory must outlive the call that enqueues the launch.
struct source_list {
  static constexpr int kMost = 256;  ///< arrays of a launch

  fast_divmod blocks{std::numeric_limits<int>::max()};  ///< blocks of each array; the default is for launches of one array
  std::int64_t step = 0;                                ///< elements of the destination from an array's result to the next one's
  std::array<std::int64_t, kMost> offsets{};            ///< bytes from the launch's source to each array
};

namespace tile {

/// The array that a block works on, and the block's index among the blocks of this array. With 10 blocks of each array, block 23
/// is block 3 of array 2.
struct listed_block {
  int array, index;
};

template <class Block>
CORNERTURN_HOST_DEVICE listed_block listed_block_of(Block& block, source_list const& sources) {
  listed_block result;
  sources.blocks(result.array, result.index, int(block.index()));
  return result;
}

/// The first element of a block's array. `args` are a kernel's parameters with a list.
template <class Args>
CORNERTURN_HOST_DEVICE auto source_of(Args const& args, listed_block const& listed) {
  auto const* const bytes = reinterpret_cast<char const*>(args.source);
  return reinterpret_cast<decltype(args.source)>(bytes + args.sources.offsets[std::size_t(listed.array)]);
}

/// The first element of the result of a block's array.
template <class Args>
CORNERTURN_HOST_DEVICE auto destination_of(Args const& args, listed_block const& listed) {
  return args.destination + listed.array * args.sources.step;
}

}  // namespace tile

}  // namespace cornerturn
