#pragma once

#include <nanobind/nanobind.h>

#include <cornerturn/element_type.hpp>
#include <cstdint>
#include <string>
#include <string_view>

namespace cornerturn::python {

/// The row of the type that a dtype of this name has; null if it has none.
element_type_row const* row_of_dtype(std::string_view name);

/// Converts a description to a NumPy dtype. Throws TypeError if NumPy cannot, or if the dtype contains Python objects.
nanobind::object numpy_dtype(nanobind::handle description, std::string_view name);

/// The NumPy dtype of a name. Those that NumPy lacks, bfloat16 and the 8-bit floating-point types, are of ml_dtypes. Throws
/// TypeError if it is not installed.
nanobind::object numpy_dtype_named(std::string const& dtype, std::string_view name);

/// Reads an argument, `dtype` or another `name`: a dtype of PyTorch, which is returned as it is, or whatever numpy.dtype accepts,
/// with NumPy's meaning. The names of types that NumPy lacks, e.g. 'bfloat16', stay str, because NumPy knows them only with
/// ml_dtypes. Throws TypeError for anything else, None too, and for a dtype that contains Python objects.
nanobind::object read_dtype(nanobind::handle given, std::string_view name = "dtype");

/// The name of a dtype, which is the same in all frameworks: "float32", "bfloat16", … In the other byte order it is NumPy's code.
std::string name_of_dtype(nanobind::handle dtype);

/// The name of the dtype that `read_dtype` reads.
std::string read_dtype_name(nanobind::handle given, std::string_view name = "dtype");

/// The bytes of an element of a dtype that `read_dtype` returned.
std::int64_t item_size_of(nanobind::handle dtype);

/// Adds `_dtype_name`, with which the Python files read an argument `dtype`, and `_element_types`, the rows of the types.
void add_dtypes(nanobind::module_& m);

}  // namespace cornerturn::python
