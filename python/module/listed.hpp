#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds to the module the call that permutes the arrays of a list at once.
void add_listed(nanobind::module_& m);

}  // namespace cornerturn::python
