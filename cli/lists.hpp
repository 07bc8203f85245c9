#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cornerturn::cli {

/// A list as a user writes it: axes as "2,0,1", extents as "256x3". Throw `error` for anything else.
std::vector<std::int64_t> axes_of(std::string_view text);
std::vector<std::int64_t> shape_of(std::string_view text);

}  // namespace cornerturn::cli
