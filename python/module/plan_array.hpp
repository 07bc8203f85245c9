#pragma once

#include <cornerturn/element_operation.hpp>
#include <cornerturn/plan.hpp>
#include <optional>

#include "axes.hpp"
#include "operations.hpp"
#include "view.hpp"

namespace cornerturn::python {

/// The arguments of `plan` and `tune` that describe an array and what becomes of it, as Python gives them.
struct planned_arguments {
  nb::handle x_or_shape, axes, device, source;
  operation_arguments operation;
};

/// A permutation that is planned: an array, its axes and the change of its elements.
struct planned_permutation {
  view array;  ///< the given array, or a dense one in C order with the given shape, dtype and device, whose `data` is null
  index_list_argument axes;
  view permuted;  ///< the array with its axes permuted
  view result;    ///< dense, in C order
  std::optional<element_operation> operation = {};  ///< how elements change; none: they keep their bits
  factor_arrays factors = {};

  /// Throws TypeError or ValueError for a device or a source with an array, for a shape without a dtype, for axes that are not a
  /// permutation, and as `operation_of` and `add_factors` do. With `is_dense` the strides of a given array are ignored.
  static planned_permutation of(planned_arguments const& given, bool is_dense);
};

/// The options of a plan for this array: its device and, if it has data, its alignment. Throws ValueError for an unknown effort.
plan_options options_for(view const& array, nb::handle effort);

}  // namespace cornerturn::python
