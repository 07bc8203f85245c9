#pragma once

#include "problem/problem.hpp"

namespace cornerturn {

/// True if the elements of a mode have the same distance on both sides. If this holds for all modes of a canonical problem, no
/// element moves relative to the others.
constexpr bool stays(mode const& m) { return m.source_stride == m.destination_stride; }

inline constexpr std::int64_t kLargestElement = 16;  ///< bytes

/// Restates a problem that copies bytes with elements of 1, 2, 4, 8 or 16 bytes, `largest` at most. Any other size becomes an
/// innermost mode of the largest of these that divides it: 12 bytes become 3 elements of 4. Expects a problem that `validate`
/// accepts.
problem split_elements(problem const& given, std::int64_t largest = kLargestElement);

/// The form in which problems are planned: elements of 1, 2, 4, 8 or 16 bytes, no mode of extent 1, positive destination
/// strides, no modes that can be fused, modes ordered by falling destination stride, then source stride, then extent. Elements
/// that an operation changes are not split. A problem with an extent of 0 becomes the single mode {0, 0, 0} at
/// offset 0.
///
/// The canonical problem moves the same elements between the same addresses, and does not depend on the order of the modes. The
/// function is idempotent. Expects a problem that `validate` accepts.
problem canonical(problem const& given);

}  // namespace cornerturn
