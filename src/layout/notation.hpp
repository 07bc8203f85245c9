#pragma once

#include <string>
#include <string_view>

#include "layout/layout.hpp"

namespace cornerturn {

/// Parses a layout in CuTe's notation: "(64,64):(1,64)", "((_2,4),Int<8>{}):((1,16),2)", "Swizzle<3,2,6> o (64,64)", the output
/// of cute::print ("Sw<3,2,6> o _0 o (_64,_64):(_1,_64)"), and compositions of layouts, "64:2 o (8,8):(8,1)". A shape without a
/// stride is compact and column-major. An integer between a swizzle and an 'o' is an offset that is added before the swizzle.
///
/// Throws `error` with a message that names the argument and the position of the character, e.g.
/// "layout '(64,64:(1,64)' is wrong at character 7, ':': ',' or ')' is expected".
layout_expression parse_layout(std::string_view argument, std::string_view text);

/// Parses a swizzle without a layout, such as "Sw<3,4,3>" or "Swizzle<3,4,3>". Throws `error` as `parse_layout` does.
swizzle_bits parse_swizzle(std::string_view argument, std::string_view text);

/// A layout of elements in memory.
struct tile_layout {
  layout_expression layout;
  int element_size;  ///< bytes
};

/// Parses a layout as `parse_layout` does, or
/// - a tensor with a plain pointer, as cute::print writes it: "smem_ptr[32b](0x7f0012345600) o (8,8):(8,1)",
/// - a tensor with a swizzled pointer: "Sw<3,4,3>_smem_ptr[16b](0x7f0012345600) o (8,64):(64,1)",
/// - a layout with an unset pointer, as CuTe has for wgmma and TMA: "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)".
/// The swizzle of a pointer acts on byte addresses, and is converted to elements. The offset of the resulting layout is the place
/// of the address in the swizzle's pattern.
///
/// `element_size` is in bytes; 0: the size of the pointer's type or, if there is none, 4. Throws `error` if the pointer
/// contradicts it.
tile_layout parse_tile(std::string_view argument, std::string_view text, int element_size = 0);

/// Formats a layout as cute::print does, except that a composition of two strided layouts is printed without an offset: "A o B".
std::string to_string(layout_expression const& layout);

}  // namespace cornerturn
