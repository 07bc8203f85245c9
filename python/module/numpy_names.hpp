#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds the permutations that NumPy names to the module: moveaxis, swapaxes, permute_dims and matrix_transpose.
void add_numpy_names(nanobind::module_& m);

}  // namespace cornerturn::python
