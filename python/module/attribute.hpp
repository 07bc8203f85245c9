#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace cornerturn::python {

namespace nb = nanobind;

/// A string as a template's argument.
template <std::size_t Size>
struct literal {
  char text[Size];
  consteval literal(char const (&from)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = from[i];
  }
};

/// Its Python string, which is made once: a call looks at some twenty attributes, and making their names would take longer.
template <literal Name>
PyObject* interned() {
  static PyObject* const name = PyUnicode_InternFromString(Name.text);
  return name;
}

/// Owns what a function of Python's C interface returned; throws the exception where it failed.
inline nb::object owned(PyObject* returned) {
  if (!returned) throw nb::python_error();
  return nb::steal(returned);
}

/// Forgets that an object is not as it must be, which is told in other words; what else it raised goes on.
inline void forget_misfit() {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError))
    throw nb::python_error();
  PyErr_Clear();
}

template <literal Name>
nb::object get(nb::handle from) {
  return owned(PyObject_GetAttr(from.ptr(), interned<Name>()));
}

/// Calls a method without arguments.
template <literal Name>
nb::object call(nb::handle on) {
  return owned(PyObject_CallMethodObjArgs(on.ptr(), interned<Name>(), nullptr));
}

/// The attribute, or null where AttributeError says that there is none; what else its property raises goes on.
template <literal Name>
nb::object find(nb::handle from) {
  auto found = nb::steal(PyObject_GetAttr(from.ptr(), interned<Name>()));
  if (!found.is_valid()) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw nb::python_error();
    PyErr_Clear();
  }
  return found;
}

template <literal Name>
bool has(nb::handle object) {
  return find<Name>(object).is_valid();
}

inline std::int64_t number(nb::handle from) {
  auto const result = PyLong_AsLongLong(from.ptr());
  if (result == -1 && PyErr_Occurred()) throw nb::python_error();
  return result;
}

inline void* address(nb::handle from) {
  void* const result = PyLong_AsVoidPtr(from.ptr());
  if (!result && PyErr_Occurred()) throw nb::python_error();
  return result;
}

/// An integer of 64 bits, or nothing where the object is none.
inline std::optional<std::int64_t> integer_in(nb::handle object) {
  auto const result = PyLong_AsLongLong(object.ptr());
  if (result == -1 && PyErr_Occurred()) {
    forget_misfit();
    return {};
  }
  return result;
}

/// An address, or nothing where the object is none.
inline std::optional<void*> address_in(nb::handle object) {
  void* const result = PyLong_AsVoidPtr(object.ptr());
  if (!result && PyErr_Occurred()) {
    forget_misfit();
    return {};
  }
  return result;
}

/// An instance of a type or of one derived from it.
inline bool is_of(nb::handle object, nb::handle type) {
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

/// What `import` would give if the module is imported already; null where nobody has.
inline nb::object imported(char const* module) {
  PyObject* const found = PyDict_GetItemString(PyImport_GetModuleDict(), module);
  return nb::borrow(found && found != Py_None ? found : nullptr);
}

}  // namespace cornerturn::python
