#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "tile/digit.hpp"

namespace cornerturn::tile {

/// What the digits of a number add up to, of those that a job lists.
template <class Count>
struct digit_sum {
  Count source = 0, destination = 0, of_run = 0, of_vectors = 0;
  int at = 0;

  template <class Job>
  CUTE_HOST_DEVICE digit_sum(Job const& job, digit_range const& digits, int number) {
    CUTE_NO_UNROLL
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

}  // namespace cornerturn::tile
