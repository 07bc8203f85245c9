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

/// The array that a block works on, and the block's index among the blocks of this array.
struct block_place {
  int array, index;
};

template <class Block>
CORNERTURN_HOST_DEVICE block_place place_of(Block& block, source_list const& sources) {
  block_place place;
  sources.blocks(place.array, place.index, int(block.index()));
  return place;
}

/// The first element of a block's array. `args` are a kernel's parameters with a list.
template <class Args>
CORNERTURN_HOST_DEVICE auto source_of(Args const& args, block_place const& place) {
  auto const* const bytes = reinterpret_cast<char const*>(args.source);
  return reinterpret_cast<decltype(args.source)>(bytes + args.sources.offsets[std::size_t(place.array)]);
}

/// The first element of the result of a block's array.
template <class Args>
CORNERTURN_HOST_DEVICE auto destination_of(Args const& args, block_place const& place) {
  return args.destination + place.array * args.sources.step;
}

}  // namespace tile

}  // namespace cornerturn
