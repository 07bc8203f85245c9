#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pattern/sides.hpp"
#include "problem/limited.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A move of elements whose bits are copied, with the bytes of the pad; empty if nothing is padded.
struct pattern_copy {
  pattern_move move;
  std::int64_t element_size = 1;
  std::vector<std::byte> pad;
};

/// The copy as one canonical problem. Returns nothing for swizzles that are none of offsets in the arrays, for more limits than a
/// `limited_problem` has, for offsets or axes of more than 31 bits, and for a pad whose bytes differ between the elements into
/// which the canonical form splits it.
std::optional<limited_problem> limited_of(pattern_copy const& copy);

/// The copy as a problem for each box, which its offsets have. Those that are padded read one element, the pad.
struct boxed_problems {
  std::vector<problem> copied, padded;
};
boxed_problems boxed_problems_of(pattern_copy const& copy);

/// The copy as a box in which all indices exist on both sides, and what is around it, in canonical problems.
struct framed_problems {
  limited_problem inside;              ///< without limits
  std::vector<limited_problem> edges;  ///< one for each limited axis at most
};
/// Returns nothing where `limited_of` does, and if there is no such box.
std::optional<framed_problems> framed_problems_of(pattern_copy const& copy);

/// The shape and the strides in bytes of both sides, and which of them are padded, cropped or swizzled.
std::string describe(pattern_copy const& copy);
/// Tells copies apart in files.
std::string to_string(pattern_copy const& copy);

}  // namespace cornerturn
