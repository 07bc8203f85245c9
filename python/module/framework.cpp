#include "framework.hpp"

#include "refuse.hpp"

namespace cornerturn::python {

framework const& framework_of(nb::handle array, std::string_view name) {
  if (numpy().owns(array)) return numpy();
  refuse(PyExc_TypeError, name, "of type " + type_of(array), "an array");
}

}  // namespace cornerturn::python
