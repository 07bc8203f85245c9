#pragma once

#include <vector>

#include "cornerturn/layout.hpp"
#include "explain/layout_findings.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// A layout whose offsets are 0 or more, and the accesses to its tile, at least one.
struct parsed_layout {
  layout_expression layout;
  int element_size;  ///< bytes
  std::vector<tile_access> accesses;
};

/// Throws `error` for invalid notation, for sizes out of range, and for options that exclude each other.
parsed_layout parse_options(layout_options const& options);

}  // namespace cornerturn
