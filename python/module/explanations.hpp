#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds explain, rung_names and the classes of explanations to the module.
void add_explanations(nanobind::module_& m);

}  // namespace cornerturn::python
