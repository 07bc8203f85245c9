#pragma once

#include <set>
#include <string>
#include <vector>

#include "explain/tiled.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// The layout itself, swizzled or padded: with the fewest wavefronts for all patterns, and of these the one that takes the least
/// memory and is the simplest. A swizzle that the layout has is taken off first; the rest must be a single layout, and lie within
/// the shared memory of a block.
struct suggested {
  layout_expression layout;
  std::int64_t wavefronts;
};
suggested suggest(layout_expression const& given, std::vector<pattern> const& patterns);

/// The layout with `pad` elements more in each stride of `wide` and above, for each time that it holds `wide`.
strided_layout padded(strided_layout const& layout, std::int64_t wide, std::int64_t pad);

/// The strides above 1 of its modes.
std::set<std::int64_t> wide_strides(strided_layout const& layout);

/// C++ that makes a swizzled or plain layout with CuTe.
std::string code_of(layout_expression const& layout);

}  // namespace cornerturn
