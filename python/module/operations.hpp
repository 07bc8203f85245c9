#pragma once

#include <cornerturn/element_operation.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dtypes.hpp"
#include "fill_result.hpp"

namespace cornerturn::python {

/// The arguments of a call that change elements, as Python gives them.
struct operation_arguments {
  nb::handle dtype, alpha, beta, conj, saturate, scale, bias;

  /// True if none asks for a change: dtype is None, and the others have their default values.
  bool are_default() const;
  /// True if dtype asks for a change, and no other argument does.
  bool only_have_dtype() const;
};

/// The number that a dtype of this name is. Throws TypeError if it is none. `name` is the name of the dtype in messages.
number_type number_named(std::string const& dtype, std::string_view name);

/// The operation of these arguments on the elements of `source`, without scale and bias. The destination has the dtype that the
/// arguments ask for, or that of the source, which is called `dtype_name` in messages, e.g. "x.dtype".
element_operation operation_of(operation_arguments const& given, view const& source, std::string_view dtype_name);

/// Throws ValueError for an operation that reads the elements of the result, if `out` is None because that is a new array.
void expect_out_to_read(element_operation const& operation, nb::handle out);

/// The array of an operation's scale or bias, which this keeps alive, and its addresses; null if there is none.
struct factor_array {
  nb::object array;
  address_range bytes;
};

/// The arrays of an operation's scale and bias.
struct factor_arrays {
  factor_array scale, bias;

  /// Throws ValueError if one of them overlaps an array that is written, called `name` in messages.
  void expect_apart(view const& written, std::string_view name) const;
};

/// Adds the scale and bias of the arguments to an operation, whose types are set. `source` has the shape of the result and the
/// device on which the operation runs, and is called `name` in messages.
factor_arrays add_factors(element_operation& operation, operation_arguments const& given, view const& source,
                          std::string_view name);

/// `out` or, if that is None, a new array of the framework of x, for elements that an operation changes. Its dtype is the one
/// that the arguments ask for, or that of x. `whole` has the shape of the result and the other properties of x. Throws for an
/// `out` that does not fit.
receiver receiver_of_changed(nb::handle x, view const& whole, operation_arguments const& given, nb::handle out);

/// Fills `out` or, if that is None, a new array of the framework of x with the changed elements of `source`, a view of x. Returns
/// the filled array.
nb::object fill_changed(nb::handle x, view const& source, operation_arguments const& given, nb::handle out, nb::handle stream,
                        int threads);

}  // namespace cornerturn::python
