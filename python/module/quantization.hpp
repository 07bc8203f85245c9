#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds the function that cornerturn.fp8 calls.
void add_quantization(nanobind::module_& module);

}  // namespace cornerturn::python
