#pragma once

#include "cpu/run.hpp"
#include "kernel/table.hpp"

namespace cornerturn {

/// One row of the table of the CPU's work: the plan type of a family. `cpu::run` runs it on memory of the host.
template <class Plan>
concept cpu_family = work_plan<Plan> &&
    requires(Plan const& plan, void const* source, void* destination, cpu::run_context const& context) {
  cpu::run(plan, source, destination, context);
};

template <cpu_family... Plan>
using cpu_table = family_table<Plan...>;

/// The families of the CPU. The last three work in place.
using cpu_families = cpu_table<cpu_plan, cpu_convert, cpu_swap, cpu_panels, cpu_boxes>;

}  // namespace cornerturn
