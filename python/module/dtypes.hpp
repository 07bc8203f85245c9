#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace cornerturn::python {

/// Converts a description to a NumPy dtype. Throws TypeError if NumPy cannot, or if the dtype contains Python objects.
nanobind::object numpy_dtype(nanobind::handle description, std::string_view name);

}  // namespace cornerturn::python
