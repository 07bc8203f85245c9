#pragma once

#include <string>
#include <string_view>

#include "layout/layout.hpp"

namespace cornerturn {

/// Reads a layout in CuTe's notation: "(64,64):(1,64)", "((_2,4),Int<8>{}):((1,16),2)", "Swizzle<3,2,6> o (64,64)", what
/// cute::print writes ("Sw<3,2,6> o _0 o (_64,_64):(_1,_64)"), and compositions of layouts, "64:2 o (8,8):(8,1)". A shape without
/// a stride is compact, the first mode fastest. An integer between a swizzle and an 'o' is the offset that is added before the
/// swizzle. Where the elements' size in bytes is given, a pointer without an address may stand there, as cute::print writes it of
/// layouts for wgmma and TMA, "Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)": this swizzle is one of addresses in bytes,
/// and becomes one of elements.
///
/// Throws `error` whose message names the argument and the character, e.g.
/// "layout '(64,64:(1,64)' is wrong at character 7, ':': ',' or ')' is expected".
layout_expression parse_layout(std::string_view argument, std::string_view text, int element_size = 0);

/// What cute::print writes. Layouts composed with layouts, which it would print with an offset, stand side by side: "A o B".
std::string to_string(layout_expression const& layout);

}  // namespace cornerturn
