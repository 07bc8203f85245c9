#pragma once

#include <string>
#include <string_view>

#include "layout/layout.hpp"

namespace cornerturn {

/// Parses a layout in CuTe's notation: "(64,64):(1,64)", "((_2,4),Int<8>{}):((1,16),2)", "Swizzle<3,2,6> o (64,64)", the output
/// of cute::print ("Sw<3,2,6> o _0 o (_64,_64):(_1,_64)"), and compositions of layouts, "64:2 o (8,8):(8,1)". A shape without a
/// stride is compact and column-major. An integer between a swizzle and an 'o' is an offset that is added before the swizzle.
///
/// If `element_size` (bytes) is given, an unset shared-memory pointer may follow a swizzle, as in CuTe's layouts for wgmma and
/// TMA: "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)". Its swizzle acts on byte addresses; it is converted to elements.
///
/// Throws `error` with a message that names the argument and the position of the character, e.g.
/// "layout '(64,64:(1,64)' is wrong at character 7, ':': ',' or ')' is expected".
layout_expression parse_layout(std::string_view argument, std::string_view text, int element_size = 0);

/// Formats a layout as cute::print does, except that a composition of two strided layouts is printed without an offset: "A o B".
std::string to_string(layout_expression const& layout);

}  // namespace cornerturn
