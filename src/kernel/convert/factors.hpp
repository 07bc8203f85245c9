#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "kernel/tiled/job.hpp"

namespace cornerturn {

/// The number of factors from the problem's first element to the first element of a tile.
CORNERTURN_HOST_DEVICE std::int64_t factor_of_tile(tiled_job const& job, factor_steps const& factors, int tile) {
  std::int64_t result = 0;
  CORNERTURN_NO_UNROLL
  for (int i = job.tile_digits.begin; i < job.tile_digits.end; ++i) {
    int value = tile;
    if (i + 1 < job.tile_digits.end) job.digits[std::size_t(i)].radix(tile, value, tile);
    result += value * factors.tile[std::size_t(i)];
  }
  return result;
}

/// The number of factors from the first element of a tile to the first element of one of its stores.
CORNERTURN_HOST_DEVICE std::int64_t factor_of_store(tiled_job const& job, factor_steps const& factors, int store) {
  std::int64_t result = 0;
  int const last = job.store_digits.count - 1;
  CORNERTURN_NO_UNROLL
  for (int i = 0; i < last; ++i) {
    int value;
    job.store_digits.digits[std::size_t(i)].radix(store, value, store);
    result += value * factors.store[std::size_t(i)];
  }
  return result + store * factors.store[std::size_t(last)];
}

}  // namespace cornerturn
