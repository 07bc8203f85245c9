#include "arguments.hpp"

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high) {
  auto const number = try_int64(given);
  if (number && low <= *number && *number <= high) return *number;
  refuse(PyIndex_Check(given.ptr()) ? PyExc_ValueError : PyExc_TypeError, name, repr_of(given),
         fmt::format("an integer from {} to {}", low, high));
}

std::string string_of(nb::handle given, std::string_view name) {
  if (!PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "a str");
  return text_of(given);
}

}  // namespace cornerturn::python
