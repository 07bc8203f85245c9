#pragma once

#include <set>
#include <string>
#include <vector>

#include "explain/tiled.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// Suggests the layout with the fewest wavefronts for all patterns: the given one, plain, swizzled or padded. Ties go to the
/// least memory, then to the simplest layout. The given layout's swizzle is removed first; what remains must be a single layout
/// that fits into a block's shared memory.
struct suggested {
  layout_expression layout;
  std::int64_t wavefronts;
};
suggested suggest(layout_expression const& given, std::vector<pattern> const& patterns);

/// Pads a layout: each stride of `wide` or more grows by `pad` elements for every `wide` elements in it.
strided_layout padded(strided_layout const& layout, std::int64_t wide, std::int64_t pad);

/// The strides of the layout's modes that are greater than 1.
std::set<std::int64_t> wide_strides(strided_layout const& layout);

/// The C++ expression that makes a plain or swizzled layout with CuTe.
std::string code_of(layout_expression const& layout);

}  // namespace cornerturn
