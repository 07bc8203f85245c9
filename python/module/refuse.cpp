#include "refuse.hpp"

#include "arguments.hpp"
#include "attribute.hpp"

namespace cornerturn::python {

std::string text_of(nb::handle object) {
  auto const text = nb::str(object);
  auto const bytes = nb::steal(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "backslashreplace"));
  if (!bytes.is_valid()) throw nb::python_error();
  return PyBytes_AsString(bytes.ptr());
}

std::string repr_of(nb::handle object) { return object.is(missing()) ? "missing" : text_of(nb::repr(object)); }

std::string type_of(nb::handle object) {
  auto const type = object.type();
  auto const module = text_of(get<"__module__">(type)), name = text_of(get<"__qualname__">(type));
  return module == "builtins" ? name : module + "." + name;
}

std::string kind_of(nb::handle object) { return object.is(missing()) ? "missing" : "of type " + type_of(object); }

}  // namespace cornerturn::python
