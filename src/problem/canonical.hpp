#pragma once

#include "problem/problem.hpp"

namespace cornerturn {

/// The same map with elements of 1, 2, 4, 8 or 16 bytes: any other size becomes an innermost mode of the largest of these that
/// divides it, e.g. 12 bytes become 3 elements of 4. Expects a problem that `validate` accepts.
problem split_elements(problem const& given);

/// The one form in which a map is planned: elements of 1, 2, 4, 8 or 16 bytes, no mode of extent 1, destination strides
/// positive, nothing left to fuse, modes ordered by falling destination stride, then source stride, then extent. Where an
/// extent is 0 it is the single mode {0, 0, 0} at offset 0.
///
/// Moves the same elements between the same places; does not depend on the order of the modes; idempotent. Expects a problem
/// that `validate` accepts.
problem canonical(problem const& given);

}  // namespace cornerturn
