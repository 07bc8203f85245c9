#pragma once

#include <cstdint>
#include <string_view>

namespace cornerturn::cli {

/// Parses a number of bytes, rounded down: "2GiB" = "2G", "1.5GiB", "500MB", "1000000". Throws `error`, which names the argument,
/// for anything else, for a negative number, and for 0 if `least` is 1.
std::int64_t bytes_of(std::string_view name, std::string_view text, int least = 1);

}  // namespace cornerturn::cli
