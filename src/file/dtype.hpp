#pragma once

#include <cstdint>
#include <string_view>

#include "file/literal.hpp"

namespace cornerturn {

/// The item size of a dtype in bytes, which is 0 for "|S0". A .npy header describes a dtype by a type code ("<f4", "|S10",
/// "<M8[ns]") or by a list of fields, which may nest and contain sub-arrays.
///
/// Throws `error` (kind file), whose message begins with `name`, for Python objects, an unknown type code, a malformed
/// description and an item size beyond 64 bits.
std::int64_t dtype_size(literal const& descr, std::string_view name);

}  // namespace cornerturn
