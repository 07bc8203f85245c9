#pragma once

namespace cornerturn::python {

/// The docstring of plan_rearrange.
inline constexpr char const* kPlanRearrange = R"doc(Describes what rearrange runs for arrays like x. No element moves.

Parameters
----------
x, pattern, pad, shape, swizzle, source_swizzle, **axes_lengths : optional
    As in rearrange, but x is no list of arrays, and has strides that are multiples of its item size.
effort : {'estimate', 'measure'}, optional
    With 'measure' the candidates are timed, and the fastest is stored for later plans and for other processes of the user.

Returns
-------
str
    One line, as Plan.describe returns.

Raises
------
ValueError, TypeError, MemoryError, RuntimeError
    As rearrange and plan.

Examples
--------
>>> import cornerturn, numpy as np
>>> "padded from 5" in cornerturn.plan_rearrange(np.zeros((5, 6)), "(m a) k -> m k a", a=4, pad=0)
True
)doc";

}  // namespace cornerturn::python
