#include "arguments.hpp"

#include <limits>

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high) {
  auto const number = try_int64(given);
  if (number && low <= *number && *number <= high) return *number;
  refuse(PyIndex_Check(given.ptr()) ? PyExc_ValueError : PyExc_TypeError, name, repr_of(given),
         fmt::format("an integer from {} to {}", low, high));
}

int threads_of(nb::handle given) { return int(integer_of(given, "threads", 0, std::numeric_limits<int>::max())); }

std::string string_of(nb::handle given, std::string_view name) {
  if (!PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "a str");
  return text_of(given);
}

}  // namespace cornerturn::python
