#pragma once

#include <nanobind/nanobind.h>

namespace cornerturn::python {

/// Adds the package's exceptions to the module, and translates those of the library to them.
void add_errors(nanobind::module_& m);

/// The package's exception that is also an exception of this built-in type: ValueError, IndexError, TypeError,
/// BufferError or MemoryError.
PyObject* exception_like(PyObject* builtin);

/// Sets the Python exception for the exception that is being handled.
void set_python_error() noexcept;

}  // namespace cornerturn::python
