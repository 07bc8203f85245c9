#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "errors.hpp"

/// How the arguments of functions are read, and refused.
namespace cornerturn::python {

namespace nb = nanobind;

/// Raises the package's exception that is also of the built-in `type`.
[[noreturn]] inline void raise(PyObject* type, std::string const& message) {
  PyErr_SetString(exception_like(type), message.c_str());
  throw nb::python_error();
}

/// Raises an exception for an argument, worded as in the library: "axes is (0, 0); it must be …".
template <class Value>
[[noreturn]] void refuse(PyObject* type, std::string_view name, Value const& value, std::string_view allowed) {
  raise(type, fmt::format("{} is {}; it must be {}", name, value, allowed));
}

/// Like refuse, with a Python exception as the cause.
template <class Value>
[[noreturn]] void refuse_because(nb::python_error& cause, PyObject* type, std::string_view name, Value const& value,
                                 std::string_view allowed) {
  nb::raise_from(cause, exception_like(type), "%s", fmt::format("{} is {}; it must be {}", name, value, allowed).c_str());
  throw nb::python_error();
}

/// str(object).
std::string text_of(nb::handle object);

/// str(object) in one line of at most about 100 characters, for messages about objects of any size.
std::string excerpt_of(nb::handle object);

/// repr(object), shortened likewise, or "missing" for an argument that was not given.
std::string repr_of(nb::handle object);

/// The qualified name of an object's type, e.g. "numpy.ndarray".
std::string type_of(nb::handle object);

/// "of type numpy.ndarray", or "missing" for an argument that was not given.
std::string kind_of(nb::handle object);

/// "; did you mean 'rows'?" for a str that is similar to one or two of the values that an argument may have; else empty.
std::string hint_at(nb::handle given, std::vector<std::string> const& values);

/// A sentinel: the default of required arguments. Functions that read such an argument report it as missing.
inline nb::handle missing() {
  static nb::handle const made = nb::module_::import_("builtins").attr("object")().release();
  return made;
}

/// Converts an integer from `low` to `high`. Throws TypeError if it is not an integer, and `beyond` if it is out of range.
std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high,
                        PyObject* beyond = PyExc_ValueError);

/// Converts the argument `threads`, the maximum number of threads of a call on host memory; 0: that of `set_num_threads`.
int threads_of(nb::handle given);

/// Throws for an object whose conversion to a number has just failed with a Python exception: ValueError if the number exceeds
/// the range of float64, else TypeError.
[[noreturn]] void refuse_number(nb::handle given, std::string_view name);

/// Converts a bool. Throws TypeError for a str, whose truth is that it is not empty, and for what is neither true nor false.
bool bool_of(nb::handle given, std::string_view name);

/// Converts a str. Throws TypeError for anything else, ValueError for one with null characters, which would end a message.
std::string string_of(nb::handle given, std::string_view name);

}  // namespace cornerturn::python
