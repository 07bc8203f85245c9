#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "arguments.hpp"

namespace cornerturn::python {

/// The arguments of a call, as CPython's METH_FASTCALL passes them: `count` by position, then those by keyword.
struct call_arguments {
  PyObject* const* values;
  Py_ssize_t count;
  PyObject* names;  ///< a tuple, or null
};

/// The signature of a function, read from a text such as "permute(x: Array, axes: Axes, *, out: Array | None = None) -> Array".
class signature {
 public:
  explicit signature(std::string_view text);

  std::size_t size() const { return parameters_.size(); }

  /// The text of the parameters without their types, which CPython does not allow in the signature of a builtin function.
  std::string_view parameters() const;

  /// Sets one value per parameter: the argument, the default or `missing()`. A parameter **name gets a tuple of pairs, which
  /// `rest` keeps alive. Throws TypeError in the package's wording for arguments that do not fit the signature.
  void bind(call_arguments const& given, std::span<nb::handle> values, nb::object& rest) const;

 private:
  struct parameter {
    nb::handle name;  ///< an interned str, never released
    nb::handle default_value = missing();
  };

  std::size_t find(nb::handle name) const;
  std::vector<std::string> names() const;  ///< of the parameters that may be given by keyword
  void refuse_loose_axes(call_arguments const& given) const;

  std::string text_;                   ///< without types
  std::vector<parameter> parameters_;  ///< the first ones may be given by position
  std::size_t positional_ = 0;         ///< number of parameters that may be given by position
  std::size_t named_from_ = 0;         ///< the first parameter that may be given by keyword
  bool has_rest_ = false;              ///< true if the last parameter is **name
};

/// The docstring of a function that `raises` what permute does, e.g. "as in permute.": a text, what it `returns` unless that is
/// empty, and an example.
std::string documented(std::string_view text, std::string_view returns, std::string_view raises, std::string_view example);

/// True if nanobind's stub generator imports the module.
bool is_for_stubs();

/// Adds a function, or a method if `scope` is a type, that only the stub generator sees. It has the types of a signature.
void add_for_stubs(nb::handle scope, std::string const& name, std::string_view text, std::string const& documentation);

/// A function of C++, whose parameters are handles, as a builtin function or method of Python. Unlike nanobind's functions it has
/// a signature that `inspect` can read, and a call creates no tuple or dict of its arguments. The stubs have the types of the
/// signature.
template <auto Function>
class builtin {
 public:
  /// Adds a function of the package to the module.
  static void add(nb::module_& module, char const* text, std::string const& documentation) {
    auto const name = std::string(text).substr(0, std::string_view(text).find('('));
    if (is_for_stubs()) return add_for_stubs(module, name, text, documentation);
    define(text, name, "", documentation, call);
    auto const package = nb::object(module.attr("__name__"));
    nb::setattr(module, name_.c_str(), nb::steal(PyCFunction_NewEx(&definition_, module.ptr(), package.ptr())));
  }

  /// Adds a method to a class. Messages show the signature `text` without its types.
  static void add_method(nb::handle type, std::string const& name, char const* text, std::string const& documentation) {
    if (is_for_stubs()) return add_for_stubs(type, name, text, documentation);
    define(text, name, "$self", documentation, call_method);
    nb::setattr(type, name.c_str(), nb::steal(PyDescr_NewMethod(reinterpret_cast<PyTypeObject*>(type.ptr()), &definition_)));
  }

 private:
  template <class Result, class... Parameters>
  static constexpr std::size_t count_parameters(Result (*)(Parameters...)) {
    return sizeof...(Parameters);
  }
  static constexpr std::size_t kSize = count_parameters(Function);
  using values = std::array<nb::handle, kSize>;

  static PyObject* call(PyObject*, PyObject* const* given, Py_ssize_t count, PyObject* names) noexcept {
    return run({}, {given, count, names});
  }

  static PyObject* call_method(PyObject* self, PyObject* const* given, Py_ssize_t count, PyObject* names) noexcept {
    return run(self, {given, count, names});
  }

  static PyObject* run(nb::handle self, call_arguments const& given) noexcept {
    try {
      values all;
      nb::object rest;
      if (self.is_valid()) all[0] = self;
      signature_->bind(given, std::span(all).last(signature_->size()), rest);
      if constexpr (std::is_void_v<decltype(std::apply(Function, all))>) {
        std::apply(Function, all);
        return nb::none().release().ptr();
      } else {
        return nb::cast(std::apply(Function, all)).release().ptr();
      }
    } catch (...) {
      set_python_error();
      return nullptr;
    }
  }

  using fast_call = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

  /// Sets the definition. CPython reads the signature from the beginning of the documentation.
  static void define(char const* text, std::string const& name, std::string const& self, std::string const& documentation,
                     fast_call entry) {
    signature_ = new signature(text);
    name_ = name;
    auto const parameters = std::string(signature_->parameters());
    documentation_ =
        name + "(" + self + (self.empty() || parameters.empty() ? "" : ", ") + parameters + ")\n--\n\n" + documentation;
    definition_ = {name_.c_str(), reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(entry)),
                   METH_FASTCALL | METH_KEYWORDS, documentation_.c_str()};
  }

  // never released, because calls may run until the interpreter exits
  static inline signature const* signature_;
  static inline std::string &name_ = *new std::string, &documentation_ = *new std::string;
  static inline PyMethodDef definition_;
};

}  // namespace cornerturn::python
