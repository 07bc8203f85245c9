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
/// of shared memory at a multiple of 16, which must not be written to before the block is in step again.
/// The indices of the modes that are cut fit an `Index`.
template <bool EachThread, class Index, class Block, class Job>
CORNERTURN_HOST_DEVICE digit_sum<std::int64_t> sum_of_block(Block& block, Job const& job, digit_range const& digits,
                                                            char* shared) {
  constexpr int kWarp = 32;
  digit_sum<std::int64_t> sum(job, EachThread || block.thread() < kWarp ? digits : digit_range{}, int(block.index()));
  if constexpr (!EachThread) {
    auto* const found = reinterpret_cast<std::int64_t*>(shared);
    alignas(16) std::int64_t bytes[] = {sum.source, sum.destination}, indices[] = {sum.of_run, sum.of_vectors};
    if (block.thread() == 0) {
      block.template shared_store<2>(found, bytes);
      block.template shared_store<2>(found + 2, indices);
    }
    block.sync();
    Index of_run, of_vectors;
    block.template shared_load<2>(found, bytes);
    block.template shared_load<1>(reinterpret_cast<Index const*>(found + 2), &of_run);
    block.template shared_load<1>(reinterpret_cast<Index const*>(found + 3), &of_vectors);
    sum.source = bytes[0], sum.destination = bytes[1], sum.of_run = of_run, sum.of_vectors = of_vectors;
  }
  return sum;
}

}  // namespace cornerturn::tile
