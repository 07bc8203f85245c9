#pragma once

#include <algorithm>
#include <chrono>

namespace cornerturn::test {

/// What a short call takes, in the quickest of several rounds.
template <class Call>
double nanoseconds_of(Call const& call) {
  using clock = std::chrono::steady_clock;
  constexpr int kCalls = 2000;
  auto quickest = clock::duration::max();
  for (int round = 0; round < 20; ++round) {
    auto const start = clock::now();
    for (int i = 0; i < kCalls; ++i) call();
    quickest = std::min(quickest, clock::now() - start);
  }
  return std::chrono::duration<double, std::nano>(quickest).count() / kCalls;
}

}  // namespace cornerturn::test
