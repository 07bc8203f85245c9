#pragma once

#include <fmt/format.h>

#include <string_view>

#include "cornerturn/error.hpp"

namespace cornerturn {

/// Throws `error` for an argument, with a message like "rows is -3; it must be 0 or more".
template <class Value>
[[noreturn]] void refuse(std::string_view name, Value const& value, std::string_view allowed) {
  throw error(error_kind::argument, fmt::format("{} is {}; it must be {}", name, value, allowed));
}

}  // namespace cornerturn
