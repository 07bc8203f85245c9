#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cornerturn/explain.hpp"
#include "explain/tiled.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// One way to move a layout's tile.
struct tile_access {
  std::string prefix;  ///< of its options' names
  tiled_copy copy;
  pattern moved;
};

/// What it asks of a memory in which the tile lies.
memory_instruction count(pattern const& moved, layout_expression const& layout, memory_space space);

/// The layout without its outermost swizzles; nothing where it has none.
std::optional<layout_expression> unswizzled(layout_expression const& layout);

/// The problems of each access, as if the tile lay in shared memory and, said so, as if it lay in global memory.
std::vector<finding> layout_findings(layout_expression const& layout, std::vector<tile_access> const& accesses);

}  // namespace cornerturn
