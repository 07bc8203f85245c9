#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "errors.hpp"

namespace cornerturn::python {

/// Raises the package's exception that is also of the built-in `type`.
[[noreturn]] inline void raise(PyObject* type, std::string const& message) {
  PyErr_SetString(exception_like(type), message.c_str());
  throw nanobind::python_error();
}

/// Raises an exception for an argument, worded as in the library: "axes is (0, 0); it must be …".
template <class Value>
[[noreturn]] void refuse(PyObject* type, std::string_view name, Value const& value, std::string_view allowed) {
  raise(type, fmt::format("{} is {}; it must be {}", name, value, allowed));
}

/// Like refuse, with a Python exception as the cause.
template <class Value>
[[noreturn]] void refuse_because(nanobind::python_error& cause, PyObject* type, std::string_view name, Value const& value,
                                 std::string_view allowed) {
  nanobind::raise_from(cause, exception_like(type), "%s", fmt::format("{} is {}; it must be {}", name, value, allowed).c_str());
  throw nanobind::python_error();
}

/// str(object).
std::string text_of(nanobind::handle object);

/// str(object) in one line of at most about 100 characters, for messages about objects of any size.
std::string excerpt_of(nanobind::handle object);

/// repr(object), shortened likewise, or "missing" for an argument that was not given.
std::string repr_of(nanobind::handle object);

/// The qualified name of an object's type, e.g. "numpy.ndarray".
std::string type_of(nanobind::handle object);

/// "of type numpy.ndarray", or "missing" for an argument that was not given.
std::string kind_of(nanobind::handle object);

}  // namespace cornerturn::python
