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
  std::size_t candidates = 8;   ///< the number of candidates that are timed; `candidates_to_time` selects them
  double family_margin = 0.15;  ///< another family is timed if its estimate exceeds the first candidate's by at most this share
  int rounds = 15;              ///< every candidate is timed once a round
  double seconds = 0.3;         ///< no round begins that would end later than this, except the first
  double final_share = 0.3;     ///< share of `seconds` for the final, which times only the fastest and the first candidate
  double warm_up_share =
      0.25;                 ///< share of `seconds` for warm-up; candidates that are not warm by then are not timed
  double drop_ratio = 1.5;  ///< a candidate is dropped if its first round takes this many times the fastest candidate's
  double margin = 0.01;     ///< another candidate is chosen if it is faster than the first one by this share
};

/// The result of a measurement.
struct measurement {
  std::size_t index = 0;                  ///< the fastest candidate
  double seconds = 0, first_seconds = 0;  ///< median times of that candidate and of the first one
  std::size_t candidates = 0;             ///< candidates that were timed
  int rounds = 0;                         ///< rounds before the final
};

/// The indices of the candidates that are timed, in the order of their warm-up. After the first candidate comes the first one of
/// every other kernel family with a near estimate, because estimates err more between families than within a family. Then come
/// the other candidates, in their order.
std::vector<std::size_t> candidates_to_time(std::vector<candidate> const& candidates, measurement_limits const& limits);

/// Times one or more candidates, interleaved: each once to warm up, then round after round. Each round starts with a different
/// candidate. In the final it times only the fastest and the first candidate, because the fastest of many may be so by chance.
measurement measure_candidates(std::vector<candidate> const& candidates, stopwatch const& time,
                               measurement_limits const& limits = {});

}  // namespace cornerturn
