#include "refuse.hpp"

#include "attribute.hpp"

namespace cornerturn::python {

std::string text_of(nb::handle object) { return nb::str(object).c_str(); }

std::string type_of(nb::handle object) {
  auto const type = object.type();
  auto const module = text_of(get<"__module__">(type)), name = text_of(get<"__qualname__">(type));
  return module == "builtins" ? name : module + "." + name;
}

}  // namespace cornerturn::python
