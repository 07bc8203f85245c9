#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "cornerturn/permute.hpp"
#include "plan/prepared.hpp"
#include "plan/request_key.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// The plan of a one-shot call: the cache's plan for the key, else the plan that `prepare` returns, which the cache keeps.
std::shared_ptr<prepared_plan const> one_shot_plan(std::span<std::int64_t const> key,
                                                   std::function<std::shared_ptr<prepared_plan const>()> const& prepare);

/// Runs a call with the plan that `plan_at` returns for its place, alignment and limit of threads. `stated` returns the call's
/// problem, and throws `error` if an argument of the call is wrong.
void run_call(void const* source, void* destination, copy_options const& options, std::function<problem()> const& stated,
              std::function<std::shared_ptr<prepared_plan const>(where const&)> const& plan_at);

/// Runs a one-shot call with a plan from the cache. If the cache has no plan, plans the problem that `stated` returns. `stated`
/// throws `error` if an argument of the call is wrong.
void run_one_shot(request_key key, void const* source, void* destination, copy_options const& options,
                  std::function<problem()> const& stated);

}  // namespace cornerturn
