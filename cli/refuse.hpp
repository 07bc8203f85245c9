#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cornerturn/error.hpp"

namespace cornerturn::cli {

/// Throws `error` for the text of an option or of a positional argument: "--space is 'far'; it must be shared, global or both".
[[noreturn]] inline void refuse(std::string_view name, std::string_view text, std::string_view allowed) {
  throw error({std::string(name), fmt::format("'{}'", text), std::string(allowed)});
}

}  // namespace cornerturn::cli
