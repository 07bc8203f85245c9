#include "arguments.hpp"

#include <algorithm>

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

void bind_arguments(std::span<nb::handle> values, std::span<parameter const> parameters, nb::args const& positional,
                    nb::kwargs const& named, std::string_view signature) {
  for (auto const [key, value] : named) {
    auto const name = text_of(key);
    auto const found = std::ranges::find(parameters, name, &parameter::name);
    if (found == parameters.end())
      refuse(PyExc_TypeError, name, kind_of(value), fmt::format("one of the arguments of {}", signature));
    auto& given = values[std::size_t(found - parameters.begin())];
    if (!given.is(missing())) refuse(PyExc_TypeError, name, "given by position and by name", "given once");
    given = value;
  }
  if (positional.size() > 0)
    refuse(PyExc_TypeError, "an argument by position", kind_of(positional[0]), fmt::format("within those of {}", signature));
}

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
