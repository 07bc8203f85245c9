#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "plan/choose.hpp"

namespace cornerturn {

/// Seconds that one run of a candidate takes. The first call for a candidate may take longer than it should.
using stopwatch = std::function<double(candidate const&)>;

/// How much is measured.
struct measuring {
  std::size_t candidates = 8;  ///< the first of those offered
  int rounds = 15;             ///< in each, every candidate is timed once
  double seconds = 0.3;        ///< no round is begun that would end later; the first always is
  double duel = 0.3;           ///< share of the seconds in which the quickest must win again, against the first alone
  double warm_up = 0.25;       ///< share of the seconds after which no further candidate joins
  double too_slow = 1.5;       ///< times the quickest of the first round: not timed again, unless it is the first
  double margin = 0.01;        ///< by which another must be quicker than the first, at its best and again and again: noise is not
};

/// What was measured: the index of the quickest candidate, its median and that of the first one offered, and how many candidates
/// were timed how often.
struct measured {
  std::size_t index = 0;
  double seconds = 0, first_seconds = 0;
  std::size_t candidates = 0;
  int rounds = 0;
};

/// Times the candidates, at least one, in turns: each once to warm up, then round after round, each round beginning with another;
/// then the quickest against the first alone, as the quickest of many may be so by luck.
measured quickest(std::vector<candidate> const& candidates, stopwatch const& time, measuring const& how = {});

}  // namespace cornerturn
