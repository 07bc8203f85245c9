#pragma once

#include <exception>

namespace cornerturn::python {

/// Sets the Python exception for an error of the library, rethrows any other exception. nanobind calls it, too.
void translate(std::exception_ptr const& thrown, void*);

/// Sets the Python exception for the exception that is being handled.
void set_python_error() noexcept;

}  // namespace cornerturn::python
