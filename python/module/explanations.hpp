#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// explain, rung_names and the classes of what they return.
void add_explanations(nanobind::module_& m);

}  // namespace cornerturn::python
