#pragma once

#include <cstdint>
#include <random>

#include "support/square_problem.hpp"

namespace cornerturn::test {

/// The exchange of modes 1 and 2 of an array of shape (outer, m, n, run).
inline square_problem rectangles_with(std::int64_t outer, std::int64_t m, std::int64_t n, std::int64_t run, std::int64_t size) {
  return {{outer, m, n, run}, {0, 2, 1, 3}, size};
}

/// A problem drawn from a seed, of at most about `most_bytes` bytes. Extents are of any size, primes or multiples of 16.
inline square_problem random_rectangles(unsigned seed, std::int64_t most_bytes = 200'000) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  constexpr std::int64_t kSizes[] = {1, 2, 3, 4, 6, 8, 12, 16, 24}, kPrimes[] = {31, 61, 127, 251, 509, 1021};
  auto const size = kSizes[draw(0, 8)], run = draw(0, 3) == 0 ? draw(2, 5) : 1;
  auto const kind = draw(0, 2);
  auto const most = most_bytes / size / run;
  auto m = kind == 0 ? draw(2, 700) : kind == 1 ? kPrimes[draw(0, 5)] : 16 * draw(1, 40);
  m = std::min(m, most / 2);
  auto n = std::max<std::int64_t>(2, draw(most / m / 2, most / m));
  if (kind == 2 && n > 16) n = n / 16 * 16;
  if (n == m) ++n;
  return rectangles_with(draw(0, 3) == 0 ? draw(2, 3) : 1, m, n, run, size);
}

/// The least prime that is `least` or more.
inline std::int64_t prime_from(std::int64_t least) {
  auto const is_prime = [](std::int64_t number) {
    for (std::int64_t i = 2; i * i <= number; ++i)
      if (number % i == 0) return false;
    return number > 1;
  };
  while (!is_prime(least)) ++least;
  return least;
}

/// A rectangle drawn from a seed, of `bytes` bytes to twice as many, whose shorter side has at most `most_fields` runs.
/// Its longer side has few divisors.
inline square_problem random_skinny(unsigned seed, std::int64_t bytes, std::int64_t most_fields) {
  std::mt19937 generator(seed);
  auto const draw = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(generator);
  };
  auto const size = std::int64_t(1) << draw(0, 4), run = draw(0, 3) == 0 ? draw(2, 5) : 1, fields = draw(2, most_fields),
             least = bytes / (size * run * fields), step = std::int64_t(draw(0, 1) == 0 ? 16 : 1);
  auto const many = step * prime_from(draw(least, 2 * least) / step);
  bool const is_tall = draw(0, 1) == 0;
  return rectangles_with(draw(0, 3) == 0 ? 2 : 1, is_tall ? many : fields, is_tall ? fields : many, run, size);
}

}  // namespace cornerturn::test
