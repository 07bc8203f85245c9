#pragma once

#include <memory>
#include <string>

#include "cornerturn/plan.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// The alignments that a caller promises, as far as they matter. Throws `error` for what is no power of two.
alignment alignment_given(plan_options const& options);

/// Plans a problem that `validate` accepts, for memory in a place so aligned.
std::shared_ptr<prepared_plan const> prepare(problem const& given, alignment const& aligned, int place, enum effort effort);

/// Moves what was planned. Expects memory that the plan is for.
void move(prepared_plan const& plan, void const* source, void* destination, void* stream);

}  // namespace cornerturn
