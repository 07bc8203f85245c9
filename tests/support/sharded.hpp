#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <vector>

#include "cornerturn/distributed.hpp"

namespace cornerturn::test {

/// A plain reference of blocks: of an array whose element at each index is the index's number in the whole source.
struct sharded_array {
  std::vector<std::int64_t> shape, axes;  ///< shape of this array; its mode i is mode axes[i] of the numbered array
  distributed::sharding sharding;

  /// The first index and the end of the block of a rank along a mode, computed by dividing lists of indices.
  std::vector<std::int64_t> indices_of(int rank, std::size_t mode) const {
    std::vector<std::int64_t> coordinates(sharding.grid.size());
    std::int64_t rest = rank;
    for (std::size_t i = sharding.grid.size(); i-- > 0; rest /= sharding.grid[i]) coordinates[i] = rest % sharding.grid[i];
    std::vector<std::int64_t> all(std::size_t(shape[mode]));
    std::iota(all.begin(), all.end(), 0);
    if (!sharding.blocks.empty() && !sharding.blocks[mode].empty()) {
      std::int64_t block = 0, begin = 0;
      for (std::size_t i = 0; i < coordinates.size(); ++i)
        if (sharding.modes[i] == std::int64_t(mode)) block = block * sharding.grid[i] + coordinates[i];
      for (std::int64_t i = 0; i < block; ++i) begin += sharding.blocks[mode][i];
      return {all.begin() + begin, all.begin() + begin + sharding.blocks[mode][block]};
    }
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
      if (sharding.modes[i] != std::int64_t(mode)) continue;
      auto const length = std::int64_t(all.size()), each = (length + sharding.grid[i] - 1) / sharding.grid[i];
      auto const begin = std::min(length, each * coordinates[i]), end = std::min(length, begin + each);
      all = {all.begin() + begin, all.begin() + end};
    }
    return all;
  }

  /// The elements of a rank's block in C order, of the dense array `whole` of this shape.
  std::vector<std::byte> block_of(int rank, std::vector<std::byte> const& whole, std::int64_t element_size) const {
    std::vector<std::byte> result;
    std::function<void(std::size_t, std::int64_t)> visit = [&](std::size_t mode, std::int64_t number) {
      if (mode == shape.size()) {
        auto const begin = whole.begin() + number * element_size;
        result.insert(result.end(), begin, begin + element_size);
        return;
      }
      for (auto const i : indices_of(rank, mode)) visit(mode + 1, number * shape[mode] + i);
    };
    visit(0, 0);
    return result;
  }

  /// The elements of a rank's block in C order. An element of some bytes is the number of its index, in each byte another part.
  std::vector<std::byte> block_of(int rank, std::int64_t element_size, std::vector<std::int64_t> const& numbered_shape) const {
    std::vector<std::byte> result;
    std::vector<std::int64_t> index(shape.size());
    std::function<void(std::size_t)> visit = [&](std::size_t mode) {
      if (mode < shape.size()) {
        for (index[mode] = 0; auto const i : indices_of(rank, mode)) {
          index[mode] = i;
          visit(mode + 1);
        }
        return;
      }
      std::vector<std::int64_t> of_source(shape.size());
      for (std::size_t i = 0; i < shape.size(); ++i) of_source[axes[i]] = index[i];
      std::int64_t number = 1;  // an element is never 0, so that one that is not written shows
      for (std::size_t i = 0; i < shape.size(); ++i) number = number * (numbered_shape[i] + 1) + of_source[i];
      for (std::int64_t k = 0; k < element_size; ++k)
        result.push_back(std::byte((number * 0x9e3779b97f4a7c15u >> (8 * (k % 7) + 5)) | 1));
    };
    visit(0);
    return result;
  }
};

inline sharded_array source_of(distributed::description const& given) {
  std::vector<std::int64_t> axes(given.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  return {given.shape, axes, given.source};
}

inline sharded_array destination_of(distributed::description const& given) {
  std::vector<std::int64_t> shape;
  for (auto const axis : given.axes) shape.push_back(given.shape[axis]);
  return {shape, given.axes, given.destination};
}

inline int ranks_of(distributed::description const& given) {
  return int(std::accumulate(given.source.grid.begin(), given.source.grid.end(), std::int64_t(1), std::multiplies()));
}

}  // namespace cornerturn::test
