#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cornerturn/plan.hpp"
#include "plan/measure.hpp"

namespace cornerturn {

/// What a measured choice holds for, one line: it must not be taken for another device, version, problem or alignment.
std::string choice_key(std::string_view device_name, problem const& canonical, alignment const& aligned);

struct choice {
  candidate chosen;
  std::string why;
};

/// One of the candidates, the quickest by estimate first: the one measured before, in this process or another of the user's;
/// else, where the effort is to measure, the one that `start` finds quickest; else the first. `start` makes a stopwatch; where it
/// throws `error` of kind device, e.g. for want of memory, that is a warning and the first is chosen.
choice choose(std::vector<candidate> const& candidates, std::string const& key, enum effort effort,
              std::function<stopwatch()> const& start);

/// The quickest of the candidates by a stopwatch, found anew and remembered from then on.
measured measure_choice(std::vector<candidate> const& candidates, std::string const& key, stopwatch const& time);

/// Reads the user's measured choices again when the next is asked for.
void forget_choices();

}  // namespace cornerturn
