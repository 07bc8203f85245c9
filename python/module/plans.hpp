#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds plan, Plan, tune and Tuned to the module.
void add_plans(nanobind::module_& m);

}  // namespace cornerturn::python
