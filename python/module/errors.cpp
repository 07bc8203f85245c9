#include "errors.hpp"

#include <cornerturn/error.hpp>
#include <new>
#include <string>
#include <string_view>

#include "refuse.hpp"

namespace nb = nanobind;

namespace cornerturn::python {
namespace {

// never released, because calls may use them until the interpreter exits
nb::handle base_error, argument_error, argument_type_error, exchange_error, device_error, out_of_memory_error;

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

/// The message of an error about an argument, with the name that the package has for a member of `element_operation` or of
/// options.
std::string in_python(std::string_view message) {
  constexpr std::string_view kOptions = "options.", kMember = "operation.", kDestination = "destination";
  if (message.starts_with(kOptions)) return std::string(message.substr(kOptions.size()));
  if (!message.starts_with(kMember)) return std::string(message);
  message.remove_prefix(kMember.size());
  return message.starts_with(kDestination) ? "dtype" + std::string(message.substr(kDestination.size())) : std::string(message);
}

void translate(std::exception_ptr const& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (error const& e) {
    switch (e.kind()) {
      case error_kind::argument:
        return PyErr_SetString(argument_error.ptr(), in_python(e.what()).c_str());
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
  exchange_error = make_exception(m, "ExchangeError", "An array's own DLPack export is invalid.", base_error, PyExc_BufferError);
  device_error = make_exception(m, "DeviceError", "A CUDA call failed; `code` is CUDA's, or 0 if no CUDA call was the cause.",
                                base_error, PyExc_RuntimeError);
  out_of_memory_error =
      make_exception(m, "OutOfMemoryError", "Too little memory, of a GPU or of the host; `code` is CUDA's, or 0 for the host.",
                     base_error, PyExc_MemoryError, PyExc_RuntimeError);
  for (auto const& each : {device_error, out_of_memory_error}) each.attr("code") = 0;
  nb::register_exception_translator(translate);
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
  for (auto const& each : {argument_error, argument_type_error, exchange_error, out_of_memory_error})
    if (PyType_IsSubtype(type(each.ptr()), type(builtin))) return each.ptr();
  return builtin;
}

}  // namespace cornerturn::python
