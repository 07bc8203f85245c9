#include "plan/measure.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <ranges>

namespace cornerturn {
namespace {

/// The fewest rounds of a duel that are enough to decide.
constexpr std::size_t kTelling = 8;

/// A candidate that takes part in the measurement: its index among all, and its seconds in each round.
struct runner {
  std::size_t index;
  std::vector<double> times;

  double median() const {
    auto sorted = times;
    std::ranges::nth_element(sorted, sorted.begin() + std::ptrdiff_t(sorted.size() / 2));
    return sorted[sorted.size() / 2];
  }
  /// True if the least time is less by the margin, and so is the time in over two thirds of the rounds of a long enough duel.
  bool beats(runner const& first, double margin) const {
    auto const quicker = [&](double own, double theirs) { return own < (1 - margin) * theirs; };
    if (times.size() < kTelling || !quicker(std::ranges::min(times), std::ranges::min(first.times))) return false;
    std::size_t won = 0;
    for (std::size_t i = 0; i < times.size(); ++i) won += quicker(times[i], first.times[i]);
    return 3 * won > 2 * times.size();
  }
};

}  // namespace

std::vector<std::size_t> entrants(std::vector<candidate> const& candidates, measuring const& how) {
  std::vector<std::size_t> result(candidates.size());
  std::iota(result.begin(), result.end(), std::size_t(0));
  auto const family_of = [&](std::size_t i) { return candidates[i].steps.front().kernel.index(); };
  std::ranges::stable_partition(result, [&](std::size_t i) {
    if (i == 0) return true;
    auto const earlier = std::views::iota(std::size_t(0), i);
    return candidates[i].seconds <= (1 + how.edge) * candidates[0].seconds &&
           std::ranges::none_of(earlier, [&](std::size_t other) { return family_of(other) == family_of(i); });
  });
  result.resize(std::min(result.size(), how.candidates));
  return result;
}

measured quickest(std::vector<candidate> const& candidates, stopwatch const& time, measuring const& how) {
  using clock = std::chrono::steady_clock;
  auto const start = clock::now();
  auto const spent = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };

  std::vector<runner> runners;
  for (auto const i : entrants(candidates, how)) {
    if (i > 0 && spent() > how.seconds * how.warm_up) break;
    time(candidates[i]);
    runners.push_back({i, {}});
  }

  /// Times all runners once a round until `end` seconds; returns the number of rounds.
  auto const play = [&](double end) {
    int played = 0;
    double took = 0;
    while (played == 0 || (played < how.rounds && spent() + took < end)) {
      double const began = spent();
      for (std::size_t k = 0; k < runners.size(); ++k) {
        auto& each = runners[(k + std::size_t(played)) % runners.size()];
        each.times.push_back(time(candidates[each.index]));
      }
      took = spent() - began;
      if (played++ > 0) continue;
      double const best = std::ranges::min(runners, {}, &runner::median).median();
      std::erase_if(runners, [&](runner const& each) { return each.index > 0 && each.median() > how.too_slow * best; });
    }
    return played;
  };

  measured result{.candidates = runners.size()};
  result.rounds = play((1 - how.duel) * how.seconds);
  if (auto const best = std::ranges::min_element(runners, {}, &runner::median)->index; best > 0) {
    runners = {{0, {}}, {best, {}}};
    play(how.seconds);
  }
  auto const &first = runners.front(), &other = runners.back();
  auto const& chosen = other.beats(first, how.margin) ? other : first;
  result.index = chosen.index;
  result.seconds = chosen.median();
  result.first_seconds = first.median();
  return result;
}

}  // namespace cornerturn
