#pragma once

#include <cornerturn/plan.hpp>

#include "view.hpp"

namespace cornerturn::python {

/// The array that a plan is made for: one at hand, or a dense one in C order of which no more is known than what the arguments
/// say (`data` is null then). Throws TypeError or ValueError for a dtype or device given beside an array, or none beside a shape.
view described(nb::handle x_or_shape, nb::handle dtype, nb::handle device);

/// How the library is asked for that device, and with an array at hand for its alignment. Throws ValueError for an unknown
/// effort.
plan_options options_for(view const& array, nb::handle effort);

}  // namespace cornerturn::python
