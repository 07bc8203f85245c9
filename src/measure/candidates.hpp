#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// Returns the seconds that one run of a candidate takes. The first call for a candidate may return too many.
using stopwatch = std::function<double(candidate const&)>;

/// The limits of a measurement.
struct measurement_limits {
  std::size_t candidates = 8;   ///< the number of candidates that are timed, those of `candidates_to_time`
  double family_margin = 0.15;  ///< share of the first candidate's estimate by which another family's may be higher to be timed
  int rounds = 15;              ///< every candidate is timed once a round
  double seconds = 0.3;         ///< no round begins that would end later than this, except the first
  double final_share = 0.3;     ///< share of `seconds` for the final, in which only the fastest and the first candidate are timed
  double warm_up_share =
      0.25;                 ///< share of `seconds` after which no further candidate is warmed up, and none of the rest is timed
  double drop_ratio = 1.5;  ///< a candidate is dropped if its first round takes this many times the fastest one's
  double margin = 0.01;     ///< share of the first candidate's time by which another must be faster to be chosen
};

/// The result of a measurement.
struct measurement {
  std::size_t index = 0;                  ///< the fastest candidate
  double seconds = 0, first_seconds = 0;  ///< median times of that candidate and of the first one
  std::size_t candidates = 0;             ///< candidates that were timed
  int rounds = 0;                         ///< rounds before the final
};

/// The indices of the candidates that are timed, in the order of their warm-up. The first candidate is followed by the first one
/// of every other kernel family whose estimate is near, because estimates err more between families than within one. The others
/// follow in their order.
std::vector<std::size_t> candidates_to_time(std::vector<candidate> const& candidates, measurement_limits const& limits);

/// Times one or more candidates, interleaved: each once to warm up, then round after round, each round starting with another one.
/// Then, in the final, it times the fastest against the first alone, as the fastest of many may be so by chance.
measurement measure_candidates(std::vector<candidate> const& candidates, stopwatch const& time,
                               measurement_limits const& limits = {});

}  // namespace cornerturn
