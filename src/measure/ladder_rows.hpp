#pragma once

#include <cstdint>
#include <vector>

#include "cornerturn/ladder.hpp"

namespace cornerturn {

/// Adds a row to a run, with the result of its verification: the number of wrong elements. Returns true if the row is right; it
/// is then timed.
bool add_row(ladder_run& run, ladder_row row, std::int64_t wrong);

/// Fills in the times and speeds of a run whose first row is memcpy. ms[i] are the milliseconds of the i-th verified row. Every
/// row copies `bytes` bytes.
void set_times(ladder_run& run, std::vector<std::vector<double>> const& ms, std::int64_t bytes);

}  // namespace cornerturn
