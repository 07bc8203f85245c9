#pragma once

#include <functional>

#include "cornerturn/permute.hpp"
#include "plan/request_key.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Runs a one-shot call with a plan from the cache. If the cache has none, plans the problem that `stated` returns. `stated`
/// throws `error` if an argument of the call is wrong.
void run_one_shot(request_key key, void const* source, void* destination, copy_options const& options,
                  std::function<problem()> const& stated);

}  // namespace cornerturn
