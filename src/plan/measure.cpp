#include "plan/measure.hpp"

#include <algorithm>
#include <chrono>

namespace cornerturn {
namespace {

/// A candidate that is timed.
struct runner {
  std::size_t index;
  std::vector<double> times;

  double median() const {
    auto sorted = times;
    std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(sorted.size() / 2));
    return sorted[sorted.size() / 2];
  }
  double least() const { return std::ranges::min(times); }
};

}  // namespace

measured quickest(std::vector<candidate> const& candidates, stopwatch const& time, measuring const& how) {
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  auto const spent = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };

  std::vector<runner> runners;
  for (std::size_t i = 0; i < std::min(candidates.size(), how.candidates); ++i) {
    if (i > 0 && spent() > how.seconds * how.warm_up) break;
    time(candidates[i]);
    runners.push_back({i, {}});
  }

  measured result{.candidates = runners.size()};
  double round_took = 0;
  while (result.rounds == 0 || (result.rounds < how.rounds && spent() + round_took < how.seconds)) {
    double const began = spent();
    for (std::size_t k = 0; k < runners.size(); ++k) {
      auto& each = runners[(k + std::size_t(result.rounds)) % runners.size()];
      each.times.push_back(time(candidates[each.index]));
    }
    round_took = spent() - began;
    if (result.rounds++ > 0) continue;
    double const best = std::ranges::min(runners, {}, &runner::median).median();
    std::erase_if(runners, [&](runner const& each) { return each.index > 0 && each.median() > how.too_slow * best; });
  }

  auto const& first = runners.front();
  auto const& winner = *std::ranges::min_element(runners, {}, &runner::median);
  auto const quicker = [&](double one, double other) { return one < (1 - how.margin) * other; };
  bool const clearly = quicker(winner.median(), first.median()) && quicker(winner.least(), first.least());
  auto const& chosen = clearly ? winner : first;
  result.index = chosen.index;
  result.seconds = chosen.median();
  result.first_seconds = first.median();
  return result;
}

}  // namespace cornerturn
