#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cornerturn/plan.hpp"
#include "measure/candidates.hpp"

namespace cornerturn {

/// The key of a measured choice, one line: device, version, problem and alignment.
std::string choice_key(std::string_view device_name, std::string_view problem, alignment const& aligned);

/// The candidates for one problem, and how to measure them.
struct selection {
  std::function<candidate()> first;                    ///< the candidate with the least estimate
  std::function<std::vector<candidate>()> candidates;  ///< all candidates, beginning with `first`
  std::string key;                                     ///< the key of the measured choice
  std::function<stopwatch()> start;                    ///< makes a stopwatch
  measurement_limits limits = {};                      ///< the limits of the measurement
  /// Unless empty: ends the process if two candidates have different results.
  std::function<void(std::vector<candidate> const&)> compare = {};
};

/// Chooses a candidate, and says why in it: the choice that this or another process of the user has measured before; else, with
/// `planning_effort::measure`, the fastest; else the first. If the stopwatch throws `error` of kind device or memory, warns and
/// chooses the first.
candidate choose(selection const& among, planning_effort effort);

struct measured_choice {
  candidate chosen;
  measurement figures;
};

/// Measures the candidates, and remembers the fastest for later plans.
measured_choice measure_choice(selection const& among);

/// Forgets the measured choices that were read; the next look-up reads the user's file again.
void forget_choices();

}  // namespace cornerturn
