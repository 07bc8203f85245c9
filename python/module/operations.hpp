#pragma once

#include <cornerturn/element_operation.hpp>
#include <string>
#include <string_view>

#include "view.hpp"

namespace cornerturn::python {

/// The arguments of a call that change elements, as Python gives them.
struct operation_arguments {
  nb::handle dtype, alpha, beta, conj, saturate, scale, bias;

  /// True if none asks for a change: dtype is None, and the others have their default values.
  bool are_default() const;
};

/// The element type of a dtype's name. Throws TypeError if it has none. `name` is the name of the dtype in messages.
element_type type_named(std::string const& dtype, std::string_view name);

/// The operation of these arguments on the elements of `source`, without scale and bias. The destination has the dtype that the
/// arguments ask for, or that of the source. `out` is None if the result is a new array, and `name` is that of the source.
element_operation operation_of(operation_arguments const& given, view const& source, std::string_view name, nb::handle out);

/// Fills `out` or, if that is None, a new array of the framework of x with the changed elements of `source`, a view of x. Returns
/// the filled array.
nb::object fill_changed(nb::handle x, view const& source, operation_arguments const& given, nb::handle out, nb::handle stream,
                        int threads);

}  // namespace cornerturn::python
