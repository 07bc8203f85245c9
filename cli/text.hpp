#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn::cli {

/// The names with commas between them, wrapped to the width of the help texts of options.
std::string name_list(std::vector<std::string> const& names);

/// "192 bytes", "77.1 MB"; a MB is 10^6 bytes.
std::string size_text(std::int64_t bytes);

/// The speed of moving `bytes` bytes, where each byte counts as read and written: "12.34 GB/s".
std::string speed_text(double bytes, double seconds);

}  // namespace cornerturn::cli
