#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace cornerturn {

/// The hash of a list of integers. They are small, often powers of two: their bits must reach the low ones of the hash.
struct numbers_hash {
  std::size_t operator()(std::span<std::int64_t const> numbers) const {
    std::uint64_t result = numbers.size();
    for (auto const each : numbers) {
      result = (result ^ std::uint64_t(each)) * 0x9E3779B97F4A7C15;
      result ^= result >> 32;
    }
    return result;
  }
};

}  // namespace cornerturn
