#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// plan, Plan, tune and Tuned.
void add_plans(nanobind::module_& m);

}  // namespace cornerturn::python
