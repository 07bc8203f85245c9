#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "plan/candidate.hpp"

namespace cornerturn {

/// Returns the seconds that one run of a candidate takes. The first call for a candidate may return too many.
using stopwatch = std::function<double(candidate const&)>;

/// The limits of a measurement.
struct measuring {
  std::size_t candidates = 8;  ///< the number of candidates that are timed, those of `entrants`
  double edge = 0.15;          ///< share of the first candidate's expected time by which another family's may be slower to join
  int rounds = 15;             ///< every candidate is timed once a round
  double seconds = 0.3;        ///< no round begins that would end later than this, except the first
  double duel = 0.3;           ///< share of `seconds` for the second part, in which only the quickest and the first are timed
  double warm_up = 0.25;       ///< share of `seconds` after which no further candidate joins
  double too_slow = 1.5;       ///< a candidate is dropped if its first round takes this many times the quickest one's
  double margin = 0.01;        ///< share of the first candidate's time by which another must be quicker
};

/// The result of a measurement: the index of the quickest candidate, its median time and that of the first candidate, and the
/// number of candidates and of rounds.
struct measured {
  std::size_t index = 0;
  double seconds = 0, first_seconds = 0;
  std::size_t candidates = 0;
  int rounds = 0;
};

/// The indices of the candidates that are timed, in the order in which they join. The first candidate is followed by the first
/// one of every other kernel family whose expected time is near, because estimates err more between families than within one.
/// The others follow in their order.
std::vector<std::size_t> entrants(std::vector<candidate> const& candidates, measuring const& how);

/// Times one or more candidates, interleaved: each once to warm up, then round after round, each round starting with another one.
/// Then it times the quickest against the first alone, as the quickest of many may be so by chance.
measured quickest(std::vector<candidate> const& candidates, stopwatch const& time, measuring const& how = {});

}  // namespace cornerturn
