#pragma once

#include <string_view>

namespace cornerturn {

/// Passes a warning to the log hook; never throws. The caller must hold no lock, as a hook may call any library function, or
/// fork.
void warn(std::string_view message) noexcept;

}  // namespace cornerturn
