#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cornerturn::python {

namespace nb = nanobind;

/// The name of an attribute, a string literal, as a template argument.
template <std::size_t Size>
struct attribute_name {
  char text[Size];
  consteval attribute_name(char const (&from)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = from[i];
  }
};

/// The interned Python string of a name. It is created once, because a call reads about twenty attributes.
template <attribute_name Name>
PyObject* interned() {
  static PyObject* const name = PyUnicode_InternFromString(Name.text);
  return name;
}

/// Takes ownership of a result of the Python C API; throws the Python exception if it is null.
inline nb::object owned(PyObject* returned) {
  if (!returned) throw nb::python_error();
  return nb::steal(returned);
}

/// Clears a TypeError or OverflowError of a conversion, which the caller reports in its own words; throws other exceptions.
inline void clear_conversion_error() {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
    throw nb::python_error();
  PyErr_Clear();
}

template <attribute_name Name>
nb::object get(nb::handle from) {
  return owned(PyObject_GetAttr(from.ptr(), interned<Name>()));
}

/// Calls a method without arguments.
template <attribute_name Name>
nb::object call(nb::handle on) {
  return owned(PyObject_CallMethodObjArgs(on.ptr(), interned<Name>(), nullptr));
}

/// The attribute, or null if it raises AttributeError; throws other exceptions.
template <attribute_name Name>
nb::object find(nb::handle from) {
  auto found = nb::steal(PyObject_GetAttr(from.ptr(), interned<Name>()));
  if (!found.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
    PyErr_Clear();
  }
  return found;
}

template <attribute_name Name>
bool has(nb::handle object) {
  return find<Name>(object).is_valid();
}

inline std::int64_t to_int64(nb::handle from) {
  auto const result = PyLong_AsLongLong(from.ptr());
  if (result == -1 && PyErr_Occurred()) throw nb::python_error();
  return result;
}

inline void* to_pointer(nb::handle from) {
  void* const result = PyLong_AsVoidPtr(from.ptr());
  if (!result && PyErr_Occurred()) throw nb::python_error();
  return result;
}

/// The object as a 64-bit integer; empty if it is not one.
inline std::optional<std::int64_t> try_int64(nb::handle object) {
  auto const result = PyLong_AsLongLong(object.ptr());
  if (result == -1 && PyErr_Occurred()) {
    clear_conversion_error();
    return {};
  }
  return result;
}

/// The object as an address; empty if it is not one.
inline std::optional<void*> try_pointer(nb::handle object) {
  void* const result = PyLong_AsVoidPtr(object.ptr());
  if (!result && PyErr_Occurred()) {
    clear_conversion_error();
    return {};
  }
  return result;
}

/// True if the object is an instance of the type or of a subclass.
inline bool is_instance(nb::handle object, nb::handle type) {
  return PyType_IsSubtype(reinterpret_cast<PyTypeObject*>(object.type().ptr()), reinterpret_cast<PyTypeObject*>(type.ptr()));
}

inline bool is_true(nb::handle value) {
  int const result = PyObject_IsTrue(value.ptr());
  if (result < 0) throw nb::python_error();
  return result == 1;
}

inline bool are_equal(nb::handle a, nb::handle b) {
  if (a.is(b)) return true;
  int const result = PyObject_RichCompareBool(a.ptr(), b.ptr(), Py_EQ);
  if (result < 0) throw nb::python_error();
  return result == 1;
}

/// The module from sys.modules; null if it is not imported.
inline nb::object loaded_module(char const* module) {
  PyObject* const found = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  return nb::borrow(found && found != Py_None ? found : nullptr);
}

}  // namespace cornerturn::python
