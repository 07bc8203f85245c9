#pragma once

#include <functional>

#include "cornerturn/permute.hpp"
#include "plan/batch.hpp"
#include "plan/request_key.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Runs the call that `run_one_shot` would run for each array of a batch. `key` and `stated` are for one array.
void run_batch(request_key key, array_batch const& batch, copy_options const& options, std::function<problem()> const& stated);

}  // namespace cornerturn
