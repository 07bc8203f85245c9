#include "arguments.hpp"

#include <limits>

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high, PyObject* beyond) {
  auto const number = try_int64(given);
  if (number && low <= *number && *number <= high) return *number;
  refuse(PyIndex_Check(given.ptr()) ? beyond : PyExc_TypeError, name, repr_of(given),
         fmt::format("an integer from {} to {}", low, high));
}

int threads_of(nb::handle given) { return int(integer_of(given, "threads", 0, std::numeric_limits<int>::max())); }

void refuse_number(nb::handle given, std::string_view name) {
  nb::python_error cause;  // takes the exception
  if (!cause.matches(PyExc_Exception)) throw cause;
  bool const overflows = cause.matches(PyExc_OverflowError);
  refuse_because(cause, overflows ? PyExc_ValueError : PyExc_TypeError, name, repr_of(given),
                 overflows ? "within the range of float64" : "a number");
}

bool bool_of(nb::handle given, std::string_view name) {
  constexpr std::string_view kAllowed = "True or False";
  if (PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), kAllowed);
  int const result = PyObject_IsTrue(given.ptr());
  if (result >= 0) return result == 1;
  nb::python_error cause;  // takes the exception
  if (!cause.matches(PyExc_Exception)) throw cause;
  refuse_because(cause, PyExc_TypeError, name, repr_of(given), kAllowed);
}

std::string string_of(nb::handle given, std::string_view name) {
  if (!PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "a str");
  auto text = text_of(given);
  if (text.find('\0') != text.npos) refuse(PyExc_ValueError, name, repr_of(given), "a str without null characters");
  return text;
}

}  // namespace cornerturn::python
