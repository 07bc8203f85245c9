#pragma once

#include <concepts>

#include "cpu/boxes/plan.hpp"
#include "cpu/convert/convert.hpp"
#include "cpu/limited/plan.hpp"
#include "cpu/panels/plan.hpp"
#include "cpu/quantize/plan.hpp"
#include "cpu/swap/plan.hpp"
#include "cpu/swizzled/plan.hpp"
#include "cpu/tiles/tiles.hpp"
#include "kernel/table.hpp"

namespace cornerturn {

/// One row of a table of the CPU's work: the plan type of a family. `cpu::run` runs it on memory of the host, and
/// `Plan::decisions` has the decisions that its plans make.
template <class Plan>
concept cpu_family = work_plan<Plan> &&
    requires(Plan const& plan, void const* source, void* destination, cpu::run_context const& context) {
  cpu::run(plan, source, destination, context);
  { Plan::decisions() } -> std::same_as<plan_decisions<Plan>>;
};

template <cpu_family... Plan>
using cpu_table = family_table<Plan...>;

/// The families that work in place: source and destination are one array.
using cpu_inplace_families = cpu_table<cpu_swap, cpu_panels, cpu_boxes>;

/// The families whose source and destination do not overlap.
using cpu_copying_families = cpu_table<cpu_plan, cpu_convert>;

/// All families of the CPU.
using cpu_families =
    decltype(joined(cpu_copying_families(), cpu_table<cpu_quantize, cpu_limited, cpu_swizzled>(), cpu_inplace_families()));

}  // namespace cornerturn
