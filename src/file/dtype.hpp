#pragma once

#include <cstdint>
#include <string_view>

#include "file/literal.hpp"

namespace cornerturn {

/// Bytes of one element of a dtype, given as a .npy header describes it: a type code ("<f4", "|S10", "<M8[ns]") or a list of
/// fields, nested and with sub-arrays; 0 for types such as "|S0".
///
/// Throws `error` (of kind file) whose message begins with `name`: objects anywhere, an unknown code, a malformed description,
/// an element past 64 bits.
std::int64_t dtype_size(literal const& descr, std::string_view name);

}  // namespace cornerturn
