#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/choice.hpp"
#include "cornerturn/plan.hpp"
#include "machine/gpu_model.hpp"
#include "plan/prepared.hpp"

namespace cornerturn {

/// The alignments in the options, capped at 16 bytes. Throws `error` for an alignment that is not a power of two.
alignment alignment_given(plan_options const& options);

/// The alignment in bytes that an argument or option gives, capped at 16. Throws `error` if it is not a power of two.
int alignment_given(std::string_view name, int bytes);

/// The place where a plan with these options runs: a GPU's number, or kHost. Throws `error` if the processor or device is
/// missing.
int place_given(processor_kind processor, int device);

/// The GPU whose times estimates have: an H200 or, if a GPU can be used, the one that the options name; else the model without
/// one.
gpu_model const& estimated_model(estimated_gpu on, processor_kind processor = processor_kind::automatic, int device = -1);

/// A call's limit of the CPU's threads; 0 means no limit. Throws `error` for a negative number.
int threads_given(int threads);

/// Where a plan with these options runs. Throws `error` as the functions above do.
where where_given(plan_options const& options);

/// A plan without a choice yet. Expects a problem that `validate` accepts.
prepared_plan unplanned(problem const& given, where const& at);

/// The name of a place in descriptions of plans, and in the keys of choices.
std::string device_name_of(where const& at);

/// A plan with a choice among its candidates.
std::shared_ptr<prepared_plan const> with_choice(prepared_plan plan, planning_effort effort = planning_effort::estimate);

/// The candidates of a plan that has something to move. The plan must outlive the selection, which refers to it.
selection selection_of(prepared_plan const& plan);

/// Plans a problem that `validate` accepts.
std::shared_ptr<prepared_plan const> prepare_plan(problem const& given, where const& at,
                                                  planning_effort effort = planning_effort::estimate);

/// Throws `error` for workers without a function or with a count below 1, and for a plan of a GPU.
void refuse_workers(worker_threads const& workers, prepared_plan const& plan);

/// Runs a plan, on the CPU with the caller's workers if they are given. Expects memory of the plan's place and alignment. If the
/// plan needs a workspace and the caller's is null, a workspace is allocated before an element moves.
void move(prepared_plan const& plan, plan_memory const& memory, void* stream, worker_threads const* workers = nullptr);

}  // namespace cornerturn
