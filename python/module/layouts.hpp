#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds `layout` and the class of its result.
void add_layouts(nanobind::module_& m);

}  // namespace cornerturn::python
