#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace cornerturn::python {

[[noreturn]] inline void raise(PyObject* type, std::string const& message) {
  PyErr_SetString(type, message.c_str());
  throw nanobind::python_error();
}

/// Refuses an argument in the words of the library: "axes is (0, 0); it must be …".
template <class Value>
[[noreturn]] void refuse(PyObject* type, std::string_view name, Value const& value, std::string_view allowed) {
  raise(type, fmt::format("{} is {}; it must be {}", name, value, allowed));
}

/// The same, with what Python raised as its cause.
template <class Value>
[[noreturn]] void refuse_because(nanobind::python_error& cause, PyObject* type, std::string_view name, Value const& value,
                                 std::string_view allowed) {
  nanobind::raise_from(cause, type, "%s", fmt::format("{} is {}; it must be {}", name, value, allowed).c_str());
  throw nanobind::python_error();
}

/// How Python prints an object.
std::string text_of(nanobind::handle object);

/// How Python prints its code, or "missing" for an argument that was not given.
std::string repr_of(nanobind::handle object);

/// The name of an object's type, e.g. "numpy.ndarray".
std::string type_of(nanobind::handle object);

/// "of type numpy.ndarray", or "missing".
std::string kind_of(nanobind::handle object);

}  // namespace cornerturn::python
