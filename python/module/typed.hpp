#pragma once

#include "attribute.hpp"
#include "framework.hpp"

namespace cornerturn::python {

/// A framework whose arrays are told by their type, which is found once its module has been imported.
class typed_framework : public framework {
 public:
  bool owns(nb::handle array) const final {
    if (!type_.is_valid() && !find_type()) return false;
    return array.type().is(type_) || is_of(array, type_);
  }

 protected:
  /// Sets the type, and what else is needed of the module; or returns false.
  virtual bool find_type() const = 0;

  mutable nb::handle type_;  ///< never released, as it may be asked for until the interpreter is gone
};

}  // namespace cornerturn::python
