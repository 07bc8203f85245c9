#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kernel/boxes/plan.hpp"
#include "kernel/convert/plan.hpp"
#include "kernel/direct/plan.hpp"
#include "kernel/flat/plan.hpp"
#include "kernel/gather/plan.hpp"
#include "kernel/interleave/plan.hpp"
#include "kernel/limited/plan.hpp"
#include "kernel/packed/plan.hpp"
#include "kernel/panels/plan.hpp"
#include "kernel/planes/plan.hpp"
#include "kernel/quantize/plan.hpp"
#include "kernel/rung/plan.hpp"
#include "kernel/small/plan.hpp"
#include "kernel/swap/plan.hpp"
#include "kernel/swizzled/plan.hpp"
#include "kernel/table.hpp"
#include "kernel/tiled/plan.hpp"
#include "kernel/unaligned/plan.hpp"

namespace cornerturn {

/// A plan type of launches on a GPU. `Plan::decisions` has the decisions that its plans make. The functions on plans are beside
/// the plan type or in launch/run.hpp: `name_of` and `idea_of` name and explain the kernel, `expected_seconds` is its cost,
/// `gpu::run` enqueues it on a stream (null is the default stream), `host::run` runs it block after block on host memory, and
/// `host::record` records one block of each class.
template <class Plan>
concept launched_family = work_plan<Plan> &&
    requires(Plan const& plan, gpu_model const& gpu, void const* source, void* destination, void* stream, recording* record,
             std::uintptr_t address, host::block_visitor const& visit) {
  { Plan::decisions() } -> std::same_as<plan_decisions<Plan>>;
  { name_of(plan) } -> std::same_as<std::string_view>;
  { idea_of(plan) } -> std::same_as<std::string_view>;
  { expected_seconds(plan, gpu) } -> std::same_as<double>;
  gpu::run(plan, source, destination, stream);
  host::run(plan, source, destination, record);
  { host::record(plan, address, address, visit) } -> std::same_as<int>;
};

/// One row of a table of kernels that permute, `kernel_families`, `operation_families` or `inplace_families`. `Plan::candidates`
/// returns the plans for a canonical problem whose elements are as large as the alignment allows, or no plans if the family
/// cannot move the problem.
template <class Plan>
concept kernel_family = launched_family<Plan> &&
    requires(problem const& refitted, alignment const& aligned, gpu_model const& gpu) {
  { Plan::candidates(refitted, aligned, gpu) } -> std::same_as<std::vector<Plan>>;
};

template <kernel_family... Plan>
using kernel_table = family_table<Plan...>;

/// The kernels that a GPU can run, one row per family. Among candidates with equal estimates, the earlier row's is chosen.
using kernel_families =
    kernel_table<rung_plan, small_plan, flat_plan, direct_plan, tiled_plan, interleave_plan, unaligned_plan, gather_plan>;

/// The kernels that change elements. Their candidates are for canonical problems with an operation.
using operation_families = kernel_table<planes_plan, convert_plan>;

/// The kernels that work in place: source and destination are one array. Their candidates are for canonical problems whose two
/// sides are this array.
using inplace_families = kernel_table<swap_plan, panels_plan, boxes_plan>;

/// The rows of three tables.
using all_families = decltype(joined(kernel_families(), operation_families(), inplace_families()));

/// These, and the launches whose work is no canonical problem: they quantise a matrix, transpose packed elements, pad and crop,
/// or have swizzled sides.
using launched_families =
    decltype(joined(all_families(), family_table<quantize_plan, packed_plan, limited_plan, swizzled_plan>()));
static_assert(launched_family<quantize_plan> && launched_family<packed_plan> && launched_family<limited_plan> &&
              launched_family<swizzled_plan>);

}  // namespace cornerturn
