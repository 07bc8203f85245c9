#pragma once

#include <algorithm>
#include <chrono>

namespace cornerturn::test {

/// What a call takes, on average over one round of many calls.
template <class Call>
double nanoseconds_of_round(Call const& call, int calls) {
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  for (int i = 0; i < calls; ++i) call();
  return std::chrono::duration<double, std::nano>(clock::now() - start).count() / calls;
}

/// What a short call takes, in the quickest of several rounds of many calls.
template <class Call>
double nanoseconds_of(Call const& call, int calls = 2000) {
  double quickest = nanoseconds_of_round(call, calls);
  for (int round = 1; round < 20; ++round) quickest = std::min(quickest, nanoseconds_of_round(call, calls));
  return quickest;
}

/// What a call takes at best. It is repeated only while it takes `most` nanoseconds or more, as it does beside other work.
template <class Call>
double nanoseconds_at_best(Call const& call, double most) {
  double quickest = nanoseconds_of_round(call, 1);
  for (int round = 1; round < 1000 && quickest >= most; ++round) quickest = std::min(quickest, nanoseconds_of_round(call, 1));
  return quickest;
}

}  // namespace cornerturn::test
