#pragma once

#include "view.hpp"

namespace cornerturn::python {

/// The arguments of a call that change elements, as Python gives them.
struct operation_arguments {
  nb::handle dtype, alpha, beta, conj, saturate, scale, bias;

  /// True if none asks for a change: dtype is None, and the others have their default values.
  bool are_default() const;
};

/// Fills `out` or, if that is None, a new array of the framework of x with the changed elements of `source`, a view of x. Returns
/// the filled array.
nb::object fill_changed(nb::handle x, view const& source, operation_arguments const& given, nb::handle out, nb::handle stream,
                        int threads);

}  // namespace cornerturn::python
