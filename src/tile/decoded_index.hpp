#pragma once

#include <cstdint>

#include "block/host_device.hpp"
#include "block/sizes.hpp"
#include "tile/radix_digit.hpp"

namespace cornerturn::tile {

/// Calls add(i, value) with the value of each digit i of a number.
template <class Job, class Add>
CORNERTURN_HOST_DEVICE void visit_digits(Job const& job, digit_range const& digits, int number, Add const& add) {
  CORNERTURN_NO_UNROLL
  for (int i = digits.begin; i < digits.end; ++i) {
    int value = number;
    if (i + 1 < digits.end) job.digits[std::size_t(i)].radix(number, value, value);
    add(i, value);
  }
}

/// Calls add(n, i, value) with the value of each digit i of each number n. The loop over digits is outside, so that the divisions
/// of all numbers are independent instructions.
template <int Count, class Job, class Add>
CORNERTURN_HOST_DEVICE void visit_digits(Job const& job, digit_range const& digits, int (&numbers)[Count], Add const& add) {
  CORNERTURN_NO_UNROLL
  for (int i = digits.begin; i < digits.end; ++i) {
    radix_digit const& each = job.digits[std::size_t(i)];
    bool const is_last = i + 1 == digits.end;
    CORNERTURN_UNROLL
    for (int n = 0; n < Count; ++n) {
      int value = numbers[n];
      if (!is_last) each.radix(numbers[n], value, value);
      add(n, i, value);
    }
  }
}

/// The offsets of one number: the sum over its digits of value times step. The members are as in `radix_digit`.
template <class Count>
struct decoded_index {
  Count source = 0, destination = 0, run_index = 0, vector_index = 0;
  int smem_offset = 0;

  template <class Job>
  CORNERTURN_HOST_DEVICE decoded_index(Job const& job, digit_range const& digits, int number) {
    CORNERTURN_NO_UNROLL
    for (int i = digits.begin; i < digits.end; ++i) {
      radix_digit const& each = job.digits[std::size_t(i)];
      int value = number;
      if (i + 1 < digits.end) each.radix(number, value, value);
      source += value * Count(each.source);
      destination += value * Count(each.destination);
      run_index += value * Count(each.run_index);
      vector_index += value * Count(each.vector_index);
      smem_offset += value * each.smem_offset;
    }
  }
};

/// Decodes a block's index. With `EachThread`, every thread decodes it. Otherwise one warp does and passes the result through
/// kDecodedBytes of shared memory, which saves instructions. That memory is aligned to 16 bytes, and must not be written again
/// before the next `sync`. `Index` is wide enough for the indices of the modes that tiles cut.
template <bool EachThread, class Index, class Block, class Job>
CORNERTURN_HOST_DEVICE decoded_index<std::int64_t> decode_block_index(Block& block, Job const& job, digit_range const& digits,
                                                                      char* shared) {
  decoded_index<std::int64_t> result(job, EachThread || block.thread() < kWarp ? digits : digit_range{}, int(block.index()));
  if constexpr (!EachThread) {
    auto* const decoded = reinterpret_cast<std::int64_t*>(shared);
    alignas(16) std::int64_t bytes[] = {result.source, result.destination}, indices[] = {result.run_index, result.vector_index};
    if (block.thread() == 0) {
      block.template shared_store<2>(decoded, bytes);
      block.template shared_store<2>(decoded + 2, indices);
    }
    block.sync();
    Index run_index, vector_index;
    block.template shared_load<2>(decoded, bytes);
    block.template shared_load<1>(reinterpret_cast<Index const*>(decoded + 2), &run_index);
    block.template shared_load<1>(reinterpret_cast<Index const*>(decoded + 3), &vector_index);
    result.source = bytes[0], result.destination = bytes[1], result.run_index = run_index, result.vector_index = vector_index;
  }
  return result;
}

}  // namespace cornerturn::tile
