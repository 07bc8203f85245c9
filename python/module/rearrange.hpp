#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds rearrange to the module.
void add_rearrange(nanobind::module_& m);

}  // namespace cornerturn::python
