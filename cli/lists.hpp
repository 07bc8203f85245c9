#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace cornerturn::cli {

/// Parse axes, "2,0,1", a shape, "256x3" or "256,3", and the grid of ranks of an option, "8x16". Blanks around the numbers are
/// ignored. Throw `error` for anything else.
std::vector<std::int64_t> axes_of(std::string_view text, std::string_view option = "--axes");
std::vector<std::int64_t> shape_of(std::string_view text, std::string_view option = "shape");
std::vector<std::int64_t> grid_of(std::string_view option, std::string_view text);

}  // namespace cornerturn::cli
