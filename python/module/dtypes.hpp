#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace cornerturn::python {

/// Converts a description to a NumPy dtype. Throws TypeError if NumPy cannot, or if the dtype contains Python objects.
nanobind::object numpy_dtype(nanobind::handle description, std::string_view name);

/// The NumPy dtype of a name, of which ml_dtypes has those that NumPy lacks: bfloat16 and the 8-bit floating-point types. Throws
/// TypeError if ml_dtypes is not installed.
nanobind::object numpy_dtype_named(std::string const& dtype, std::string_view name);

}  // namespace cornerturn::python
