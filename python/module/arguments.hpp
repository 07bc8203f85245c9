#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace cornerturn::python {

namespace nb = nanobind;

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
