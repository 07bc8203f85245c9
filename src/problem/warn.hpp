#pragma once

#include <string_view>

namespace cornerturn {

/// Tells the log hook; never fails. The caller holds no lock, as a hook may call any function of the library, or fork.
void warn(std::string_view message) noexcept;

}  // namespace cornerturn
