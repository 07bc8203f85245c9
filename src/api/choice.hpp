#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cornerturn/plan.hpp"
#include "plan/measure.hpp"

namespace cornerturn {

/// What a measured choice holds for, one line: it must not be taken for another device, version, problem or alignment.
std::string choice_key(std::string_view device_name, problem const& canonical, alignment const& aligned);

/// What there is to choose from: the candidate that is estimated to be the quickest; all of them, that one first; the key of what
/// was measured of them; who makes a stopwatch for them; and how much of it is used.
struct contest {
  std::function<candidate()> first;
  std::function<std::vector<candidate>()> candidates;
  std::string key;
  std::function<stopwatch()> start;
  measuring how = {};
};

struct choice {
  candidate chosen;
  std::string why;
};

/// One of the candidates: the one measured before, in this process or another of the user's; else, where the effort is to
/// measure, the quickest; else the first. Where the stopwatch throws `error` of kind device, e.g. for want of memory, that is a
/// warning and the first is chosen.
choice choose(contest const& among, enum effort effort);

struct measured_choice {
  candidate chosen;
  measured figures;
};

/// The quickest of the candidates, found anew and remembered from then on.
measured_choice measure_choice(contest const& among);

/// Reads the user's measured choices again when the next is asked for.
void forget_choices();

}  // namespace cornerturn
