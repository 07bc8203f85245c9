#pragma once

#include <nanobind/nanobind.h>

#include <cornerturn/element_operation.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cornerturn::python {

/// The row of the type that a dtype of this name has; null if it has none.
element_type_row const* row_of_dtype(std::string_view name);

/// The type of a number, and whether its bytes are in the order other than the processor's.
struct number_type {
  element_type type;
  bool swapped = false;
};

/// The number that a dtype of this name is, e.g. "float32" or, in the other byte order, ">f4"; nothing if it is none.
std::optional<number_type> number_of_dtype(std::string_view name);

/// True if two dtypes are equal. Those of different frameworks are if they have one name.
bool are_same_dtypes(nanobind::handle a, nanobind::handle b);

/// If NumPy's dtypes `from` and `to` are equal except for their byte order, the operation that swaps the bytes of numbers, dates
/// and durations of 2, 4 or 8 bytes, or of complex numbers of such parts. Otherwise nothing.
std::optional<element_operation> swap_between(nanobind::handle from, nanobind::handle to);

/// True if NumPy's dtypes `from` and `to` are equal except for their byte order, or that of fields.
bool differ_in_byte_order(nanobind::handle from, nanobind::handle to);

/// Swaps the bytes of the elements of an array of NumPy, or of those fields whose byte order in `from` is not that of the array.
void swap_in_place(nanobind::handle array, nanobind::handle from);

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
