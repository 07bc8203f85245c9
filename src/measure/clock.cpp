#include "measure/clock.hpp"

#include <algorithm>

namespace cornerturn {
namespace {

/// With intervals of this many seconds, the cost of reading the clock is negligible.
constexpr double kInterval = 0.5e-3;
constexpr int kMostRuns = 1000;

double interval(std::function<void()> const& work, int runs) {
  elapsed_time const elapsed;
  for (int i = 0; i < runs; ++i) work();
  return elapsed.seconds();
}

}  // namespace

double seconds_of(std::function<void()> const& work) {
  double const once = interval(work, 1);
  int const runs = int(std::clamp(kInterval / std::max(once, 1e-9), 1.0, double(kMostRuns)));
  return runs == 1 ? once : interval(work, runs) / runs;
}

}  // namespace cornerturn
