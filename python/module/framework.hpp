#pragma once

#include <string>
#include <string_view>

#include "view.hpp"

namespace cornerturn::python {

/// Those whose arrays are known: how an array is looked at, and how one is made.
class framework {
 public:
  virtual ~framework() = default;

  /// Whether an array of this type is its own.
  virtual bool owns(nb::handle array) const = 0;

  /// Throws TypeError for an array whose elements are not plain memory; `name` is that of the argument.
  virtual view look(nb::handle array, std::string_view name) const = 0;

  /// A dense array in C order, of the dtype and on the device of `like`. Throws TypeError where none can be made.
  virtual nb::object empty(nb::handle like, view const& seen, nb::handle shape) const = 0;

  /// What the caller gets for an array that `empty` made and that has been filled.
  virtual nb::object finished(nb::handle, nb::object made) const { return made; }

  /// The same elements with all modes reversed.
  virtual nb::object reversed(nb::handle array) const = 0;

  /// The stream on which its framework uses an array in GPU memory now.
  virtual void* current_stream(view const& array) const = 0;
};

/// The framework of an array. Throws TypeError for what is no array.
framework const& framework_of(nb::handle array, std::string_view name);

inline view look(nb::handle array, std::string_view name) { return framework_of(array, name).look(array, name); }

/// "float32", "bfloat16", …: the same in all frameworks.
std::string dtype_name(view const& array);

/// Those that are recognised by their types, and the two protocols, by which any other can be served.
framework const& numpy();
framework const& torch();
framework const& cupy();
framework const& cuda_interface();
framework const& dlpack();

}  // namespace cornerturn::python
