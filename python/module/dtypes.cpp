#include "dtypes.hpp"

#include "attribute.hpp"
#include "refuse.hpp"

namespace cornerturn::python {

nb::object numpy_dtype(nb::handle description, std::string_view name) {
  nb::object result;
  try {
    result = nb::module_::import_("numpy").attr("dtype")(description);
  } catch (nb::python_error& e) {
    if (!e.matches(PyExc_Exception)) throw;
    refuse_because(e, PyExc_TypeError, name, text_of(nb::repr(description)), "a dtype that NumPy knows");
  }
  if (is_true(get<"hasobject">(result))) refuse(PyExc_TypeError, name, text_of(result), "one without Python objects");
  return result;
}

nb::object numpy_dtype_named(std::string const& dtype, std::string_view name) {
  if (dtype != "bfloat16" && !dtype.starts_with("float8")) return numpy_dtype(nb::str(dtype.c_str()), name);
  try {
    return numpy_dtype(nb::module_::import_("ml_dtypes").attr(dtype.c_str()), name);
  } catch (nb::python_error& e) {
    refuse_because(e, PyExc_TypeError, name, dtype, "one that NumPy has, unless ml_dtypes is installed");
  }
}

}  // namespace cornerturn::python
