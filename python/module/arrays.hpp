#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// permute, transpose, ascontiguous and copy.
void add_arrays(nanobind::module_& m);

}  // namespace cornerturn::python
