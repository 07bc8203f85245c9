#include "arguments.hpp"

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

nb::handle missing() {
  static nb::handle const made = nb::module_::import_("builtins").attr("object")().release();
  return made;
}

void refuse_rest(nb::args const& positional, nb::kwargs const& named, std::string_view signature) {
  for (auto const [name, value] : named)
    refuse(PyExc_TypeError, text_of(name), kind_of(value), fmt::format("one of the arguments of {}", signature));
  if (positional.size() > 0)
    refuse(PyExc_TypeError, "an argument by position", kind_of(positional[0]), fmt::format("within those of {}", signature));
}

std::int64_t integer_of(nb::handle given, std::string_view name, std::int64_t low, std::int64_t high) {
  auto const number = integer_in(given);
  if (number && low <= *number && *number <= high) return *number;
  refuse(PyIndex_Check(given.ptr()) ? PyExc_ValueError : PyExc_TypeError, name, repr_of(given),
         fmt::format("an integer from {} to {}", low, high));
}

std::string string_of(nb::handle given, std::string_view name) {
  if (!PyUnicode_Check(given.ptr())) refuse(PyExc_TypeError, name, repr_of(given), "a str");
  return text_of(given);
}

}  // namespace cornerturn::python
