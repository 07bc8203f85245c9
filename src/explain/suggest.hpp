#pragma once

#include <string>
#include <vector>

#include "explain/tiled.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// An access pattern, and the elements and bytes that one of its accesses moves.
struct pattern {
  std::vector<tiled_vector> vectors;
  int vector, element_size;
};

/// The layout itself, swizzled or padded: with the fewest wavefronts for all patterns, and of these the one that takes the least
/// memory and is the simplest. A swizzle that the layout has is taken off first; the rest must be a single layout.
struct suggested {
  layout_expression layout;
  std::int64_t wavefronts;
};
suggested suggest(layout_expression const& given, std::vector<pattern> const& patterns);

/// C++ that makes a swizzled or plain layout with CuTe.
std::string code_of(layout_expression const& layout);

}  // namespace cornerturn
