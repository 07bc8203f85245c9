#pragma once

#include "attribute.hpp"
#include "framework.hpp"

namespace cornerturn::python {

/// A framework whose arrays are recognised by their type. The type is looked up once the framework's module is imported.
class typed_framework : public framework {
 public:
  bool owns(nb::handle array) const final {
    if (!type_.is_valid() && !find_type()) return false;
    return array.type().is(type_) || is_instance(array, type_);
  }

  bool is_plain(nb::handle array) const final { return array.type().is(type_); }

  bool has_writable_arrays() const final { return true; }

 protected:
  /// Looks up the type and the functions of the module; returns false if they are not there.
  virtual bool find_type() const = 0;

  mutable nb::handle type_;  ///< never released, because calls may use it until the interpreter exits
};

}  // namespace cornerturn::python
