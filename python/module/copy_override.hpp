#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds the functions with which cornerturn/_torch_copies.py overrides PyTorch's aten::copy_.
void add_copy_override(nanobind::module_& m);

}  // namespace cornerturn::python
