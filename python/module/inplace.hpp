#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds permute_inplace and transpose_inplace to the module.
void add_inplace(nanobind::module_& m);

}  // namespace cornerturn::python
