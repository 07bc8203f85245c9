#pragma once

#include <string>

#include "layout/layout.hpp"

namespace cornerturn {

/// The Python statement that makes a plain or swizzled layout with CuTe DSL. Expects no offset before the swizzle.
std::string cute_dsl_code_of(layout_expression const& layout);

/// The statement that makes a layout with Triton's Gluon; empty if Gluon does not have it. The tile's shape there has one extent
/// for each outer mode. Extents and paddings are powers of two, a tile has no other gaps, and an element 1 to 8 bytes.
/// NVMMASharedLayout is preferred, because TMA and wgmma take no other layout; then SwizzledSharedLayout.
std::string gluon_code_of(layout_expression const& layout, int element_size);

}  // namespace cornerturn
