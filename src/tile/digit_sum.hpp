#pragma once

#include <cstdint>

#include "tile/digit.hpp"
#include "tile/host_device.hpp"

namespace cornerturn::tile {

/// What the digits of a number add up to, of those that a job lists.
template <class Count>
struct digit_sum {
  Count source = 0, destination = 0, of_run = 0, of_vectors = 0;
  int at = 0;

  template <class Job>
  CORNERTURN_HOST_DEVICE digit_sum(Job const& job, digit_range const& digits, int number) {
    CORNERTURN_NO_UNROLL
    for (int i = digits.begin; i < digits.end; ++i) {
      digit const& each = job.digits[std::size_t(i)];
      int value = number;
      if (i + 1 < digits.end) each.radix(number, value, value);
      source += value * Count(each.source);
      destination += value * Count(each.destination);
      of_run += value * Count(each.of_run);
      of_vectors += value * Count(each.of_vectors);
      at += value * each.at;
    }
  }
};

/// The sum for a block's number. Where instructions are short, and not `EachThread`, one warp counts for all by way of kSumBytes
/// of shared memory, which must not be written to before the block is in step again.
template <bool EachThread, class Block, class Job>
CORNERTURN_HOST_DEVICE digit_sum<std::int64_t> sum_of_block(Block& block, Job const& job, digit_range const& digits,
                                                            char* shared) {
  constexpr int kWarp = 32;
  digit_sum<std::int64_t> sum(job, EachThread || block.thread() < kWarp ? digits : digit_range{}, int(block.index()));
  if constexpr (!EachThread) {
    auto* const found = reinterpret_cast<std::int64_t*>(shared);
    std::int64_t* const parts[] = {&sum.source, &sum.destination, &sum.of_run, &sum.of_vectors};
    if (block.thread() == 0) {
      CORNERTURN_UNROLL
      for (int i = 0; i < 4; ++i) block.template shared_store<1>(found + i, parts[i]);
    }
    block.sync();
    CORNERTURN_UNROLL
    for (int i = 0; i < 4; ++i) block.template shared_load<1>(found + i, parts[i]);
  }
  return sum;
}

}  // namespace cornerturn::tile
