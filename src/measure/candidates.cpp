#include "measure/candidates.hpp"

#include <algorithm>
#include <numeric>
#include <ranges>

#include "measure/clock.hpp"
#include "measure/statistics.hpp"

namespace cornerturn {
namespace {

/// A candidate that is timed: its index among all candidates, and its seconds in each round.
struct timed_candidate {
  std::size_t index;
  std::vector<double> seconds;

  double median() const { return quantile(seconds, 0.5); }
};

/// True if a candidate was faster than the first one by the margin, in the fastest round of each and in over two thirds of at
/// least 8 rounds.
bool is_faster(timed_candidate const& other, timed_candidate const& first, double margin) {
  constexpr std::size_t kLeastRounds = 8;
  auto const is_less = [&](double seconds, double than) { return seconds < (1 - margin) * than; };
  auto const rounds = other.seconds.size();
  if (rounds < kLeastRounds || !is_less(std::ranges::min(other.seconds), std::ranges::min(first.seconds))) return false;
  std::size_t won = 0;
  for (std::size_t i = 0; i < rounds; ++i) won += is_less(other.seconds[i], first.seconds[i]);
  return 3 * won > 2 * rounds;
}

}  // namespace

std::vector<std::size_t> candidates_to_time(std::vector<candidate> const& candidates, measurement_limits const& limits) {
  std::vector<std::size_t> result(candidates.size());
  std::iota(result.begin(), result.end(), std::size_t(0));
  auto const family_of = [&](std::size_t i) { return candidates[i].steps.front().kernel.index(); };
  std::ranges::stable_partition(result, [&](std::size_t i) {
    if (i == 0) return true;
    auto const earlier = std::views::iota(std::size_t(0), i);
    return candidates[i].seconds <= (1 + limits.family_margin) * candidates[0].seconds &&
           std::ranges::none_of(earlier, [&](std::size_t other) { return family_of(other) == family_of(i); });
  });
  result.resize(std::min(result.size(), limits.candidates));
  return result;
}

measurement measure_candidates(std::vector<candidate> const& candidates, stopwatch const& time,
                               measurement_limits const& limits) {
  elapsed_time const elapsed;

  std::vector<timed_candidate> timed;
  for (auto const i : candidates_to_time(candidates, limits)) {
    if (i > 0 && elapsed.seconds() > limits.seconds * limits.warm_up_share) break;
    time(candidates[i]);
    timed.push_back({i, {}});
  }

  /// Times all candidates of `timed` once a round until `end` seconds; returns the number of rounds.
  auto const run_rounds = [&](double end) {
    int rounds = 0;
    double took = 0;
    while (rounds == 0 || (rounds < limits.rounds && elapsed.seconds() + took < end)) {
      double const began = elapsed.seconds();
      for (std::size_t k = 0; k < timed.size(); ++k) {
        auto& each = timed[(k + std::size_t(rounds)) % timed.size()];
        each.seconds.push_back(time(candidates[each.index]));
      }
      took = elapsed.seconds() - began;
      if (rounds++ > 0) continue;
      double const best = std::ranges::min(timed, {}, &timed_candidate::median).median();
      std::erase_if(timed, [&](auto const& each) { return each.index > 0 && each.median() > limits.drop_ratio * best; });
    }
    return rounds;
  };

  measurement result{.candidates = timed.size()};
  result.rounds = run_rounds((1 - limits.final_share) * limits.seconds);
  if (auto const best = std::ranges::min_element(timed, {}, &timed_candidate::median)->index; best > 0) {
    timed = {{0, {}}, {best, {}}};
    run_rounds(limits.seconds);
  }
  auto const &first = timed.front(), &other = timed.back();
  auto const& chosen = is_faster(other, first, limits.margin) ? other : first;
  result.index = chosen.index;
  result.seconds = chosen.median();
  result.first_seconds = first.median();
  return result;
}

}  // namespace cornerturn
