#pragma once

#include <algorithm>
#include <chrono>

namespace cornerturn::test {

/// What a short call takes, in the quickest of several rounds of many calls.
template <class Call>
double nanoseconds_of(Call const& call, int calls = 2000) {
  using clock = std::chrono::steady_clock;
  auto quickest = clock::duration::max();
  for (int round = 0; round < 20; ++round) {
    auto const start = clock::now();
    for (int i = 0; i < calls; ++i) call();
    quickest = std::min(quickest, clock::now() - start);
  }
  return std::chrono::duration<double, std::nano>(quickest).count() / calls;
}

/// What a call takes at best. Rounds are repeated only while they take `most` nanoseconds or more, as they do beside other work.
template <class Call>
double nanoseconds_at_best(Call const& call, double most) {
  double quickest = nanoseconds_of(call, 1);
  for (int round = 1; round < 50 && quickest >= most; ++round) quickest = std::min(quickest, nanoseconds_of(call, 1));
  return quickest;
}

}  // namespace cornerturn::test
