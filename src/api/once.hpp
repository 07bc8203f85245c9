#pragma once

#include <functional>

#include "cornerturn/permute.hpp"
#include "plan/request_key.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Does what a one-shot call asks, by a plan from the cache or else for the problem that `stated` makes of the call. `stated`
/// throws `error` for what is wrong with the call.
void move_once(request_key key, void const* source, void* destination, copy_options const& options,
               std::function<problem()> const& stated);

}  // namespace cornerturn
