#pragma once

#include <cornerturn/plan.hpp>

#include "view.hpp"

namespace cornerturn::python {

/// The array that a plan is made for: a given array, or a dense array in C order with the given shape, dtype and device, whose
/// `data` is null. Throws TypeError or ValueError for a dtype or device with an array, and for a shape without a dtype.
view planned_array(nb::handle x_or_shape, nb::handle dtype, nb::handle device);

/// The options of a plan for this array: its device and, if it has data, its alignment. Throws ValueError for an unknown effort.
plan_options options_for(view const& array, nb::handle effort);

}  // namespace cornerturn::python
