#pragma once

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

  /// A dense array in C order beside `like`: of its dtype, on its device.
  virtual nb::object empty(nb::handle like, view const& seen, nb::handle shape) const = 0;

  /// The same elements with all modes reversed.
  virtual nb::object reversed(nb::handle array) const = 0;

  /// The stream on which this framework works now, on the device of an array in GPU memory.
  virtual void* current_stream(view const& array) const = 0;
};

/// The framework of an array. Throws TypeError for what is no array.
framework const& framework_of(nb::handle array, std::string_view name);

inline view look(nb::handle array, std::string_view name) { return framework_of(array, name).look(array, name); }

framework const& numpy();

}  // namespace cornerturn::python
