#include "base/divisors.hpp"

#include <algorithm>
#include <cstddef>

#include "base/planning_work.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kLargestFactor = std::int64_t(1) << 22;  ///< the largest number that a number is divided by

}  // namespace

std::vector<std::int64_t> divisors_of(std::int64_t number, std::int64_t most) {
  std::vector<std::int64_t> result{1};
  auto rest = number;  // has no prime factor below the next one that is tried
  auto const multiply_by = [&](std::int64_t prime) {
    auto const others = result.size();
    std::size_t first = 0;
    for (; rest % prime == 0; rest /= prime) {
      auto const end = result.size();
      for (auto i = first; i < std::min(end, first + others); ++i)
        if (result[i] <= most / prime) result.push_back(result[i] * prime);
      first = end;
    }
  };
  multiply_by(2);
  std::int64_t factor = 3;
  for (auto const last = std::min(most, kLargestFactor); factor <= last && factor <= rest / factor; factor += 2)
    if (rest % factor == 0) multiply_by(factor);
  work_of_planning.factors += factor / 2;
  if (rest > 1 && rest <= most) multiply_by(rest);  // a prime, if it is below the square of the largest factor
  std::ranges::sort(result);
  return result;
}

}  // namespace cornerturn
