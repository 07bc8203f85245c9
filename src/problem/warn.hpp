#pragma once

#include <string_view>

namespace cornerturn {

/// Tells the log hook; never fails.
void warn(std::string_view message) noexcept;

}  // namespace cornerturn
