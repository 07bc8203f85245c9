#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds permute, transpose, ascontiguous and copy to the module.
void add_arrays(nanobind::module_& m);

}  // namespace cornerturn::python
