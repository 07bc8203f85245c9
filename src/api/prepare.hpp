#pragma once

#include <memory>
#include <string>

#include "api/choice.hpp"
#include "cornerturn/plan.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// The alignments that a caller promises, as far as they matter. Throws `error` for what is no power of two.
alignment alignment_given(plan_options const& options);

/// Where what is planned will run: a GPU's number, or kHost. Throws `error` for a processor or a device that is not there.
int place_given(plan_options const& options);

/// A problem that `validate` accepts, for memory in a place so aligned, without a choice yet.
prepared_plan unplanned(problem const& given, alignment const& aligned, int place);

/// What it may choose from, where there is something to move; valid as long as the plan.
contest contest_of(prepared_plan const& plan);

/// The same problem planned.
std::shared_ptr<prepared_plan const> prepare(problem const& given, alignment const& aligned, int place, enum effort effort);

/// Moves what was planned. Expects memory that the plan is for.
void move(prepared_plan const& plan, void const* source, void* destination, void* stream);

}  // namespace cornerturn
