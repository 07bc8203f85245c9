#include "errors.hpp"

#include <cornerturn/error.hpp>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "attribute.hpp"
#include "functions.hpp"

namespace cornerturn::python {
namespace {

// never released, because calls may use them until the interpreter exits
nb::handle base_error, argument_error, argument_type_error, axis_error, numpy_axis_error, exchange_error, device_error,
    out_of_memory_error;

template <class... Bases>
nb::handle make_exception(nb::module_& m, char const* name, char const* documentation, Bases... bases) {
  auto const parents = nb::make_tuple(nb::handle(bases)...);
  auto const qualified = text_of(m.attr("__name__")) + "." + name;
  nb::object made = nb::steal(PyErr_NewExceptionWithDoc(qualified.c_str(), documentation, parents.ptr(), nullptr));
  if (!made.is_valid()) throw nb::python_error();
  m.attr(name) = made;
  return made.release();
}

void raise_with_code(nb::handle type, char const* message, int code) {
  nb::object const thrown = type(message);
  thrown.attr("code") = code;
  PyErr_SetObject(type.ptr(), thrown.ptr());
}

/// The parameter of the package that is an argument of the library, or a member of its operation or options.
std::string parameter_of(std::string_view argument) {
  for (std::string_view const parent : {"operation.", "options."})
    if (argument.starts_with(parent))
      return argument == "operation.destination" ? "dtype" : std::string(argument.substr(parent.size()));
  return std::string(argument);
}

/// The exception for axes; once NumPy is imported, it is also NumPy's AxisError.
nb::handle axis_error_here() {
  if (numpy_axis_error.is_valid()) return numpy_axis_error;
  auto numpy = loaded_module("numpy.exceptions");
  if (!numpy.is_valid()) numpy = loaded_module("numpy.core._exceptions");  // before NumPy 1.25
  if (!numpy.is_valid()) return axis_error;
  nb::object const type = nb::handle(reinterpret_cast<PyObject*>(&PyType_Type))(
      "AxisError", nb::make_tuple(axis_error, numpy.attr("AxisError")), nb::dict());
  type.attr("__module__") = axis_error.attr("__module__");
  auto const without_numpy = [](nb::handle thrown) { return nb::make_tuple(axis_error, nb::object(thrown.attr("args"))); };
  nb::module_::import_("copyreg").attr("pickle")(type, nb::cpp_function(without_numpy));
  return numpy_axis_error = nb::object(type).release();
}

nb::object axis_error_with(nb::handle message) { return axis_error_here()(message); }

nb::object hint_for(nb::handle given, nb::handle values) {
  std::vector<std::string> texts;
  for (auto const each : values) texts.push_back(text_of(each));
  return nb::str(hint_at(given, texts).c_str());
}

void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (error const& e) {
    switch (e.kind()) {
      case error_kind::argument:
        return PyErr_SetString((e.argument() == "axes" ? axis_error_here() : argument_error).ptr(),
                               e.with_argument(parameter_of(e.argument())).what());
      case error_kind::device:
        return raise_with_code(device_error, e.what(), e.code());
      case error_kind::memory:
        return raise_with_code(out_of_memory_error, e.what(), e.code());
      case error_kind::file:
        return PyErr_SetString(base_error.ptr(), e.what());
    }
  } catch (std::bad_alloc const&) {
    PyErr_SetString(out_of_memory_error.ptr(), "no memory on the host");
  }
}

}  // namespace

void add_errors(nb::module_& m) {
  base_error = make_exception(m, "Error", "The base of the package's exceptions.", PyExc_Exception);
  argument_error = make_exception(m, "ArgumentError", "An argument has a value that is not allowed; the message names both.",
                                  base_error, PyExc_ValueError);
  argument_type_error =
      make_exception(m, "ArgumentTypeError", "An argument has a type that is not allowed.", base_error, PyExc_TypeError);
  axis_error = make_exception(
      m, "AxisError", "An argument has axes that the array does not have; also NumPy's AxisError, once NumPy is imported.",
      argument_error, PyExc_IndexError);
  exchange_error = make_exception(m, "ExchangeError", "An array's own DLPack export is invalid.", base_error, PyExc_BufferError);
  device_error = make_exception(m, "DeviceError", "A CUDA call failed; `code` is CUDA's, or 0 if no CUDA call was the cause.",
                                base_error, PyExc_RuntimeError);
  out_of_memory_error =
      make_exception(m, "OutOfMemoryError", "Too little memory, of a GPU or of the host; `code` is CUDA's, or 0 for the host.",
                     base_error, PyExc_MemoryError, PyExc_RuntimeError);
  for (auto const& each : {device_error, out_of_memory_error}) each.attr("code") = 0;
  nb::register_exception_translator(translate);
  builtin<axis_error_with>::add(m, "_axis_error(message: str) -> AxisError", "An AxisError for the Python parts of the package.");
  builtin<hint_for>::add(m, "_hint(given, values)",
                         "\"; did you mean 'rows'?\" for a misspelt value of an argument, else an empty str.");
}

void set_python_error() noexcept {
  try {
    translate(std::current_exception(), nullptr);
  } catch (nb::python_error& e) {
    e.restore();
  } catch (std::exception const& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
  }
}

PyObject* exception_like(PyObject* builtin) {
  auto const type = [](PyObject* object) { return reinterpret_cast<PyTypeObject*>(object); };
  if (builtin == PyExc_IndexError) return axis_error_here().ptr();
  for (auto const& each : {argument_error, argument_type_error, exchange_error, out_of_memory_error})
    if (PyType_IsSubtype(type(each.ptr()), type(builtin))) return each.ptr();
  return builtin;
}

}  // namespace cornerturn::python
