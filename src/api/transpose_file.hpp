#pragma once

#include "cornerturn/file.hpp"
#include "plan/file_limits.hpp"

namespace cornerturn {

/// The public functions of these names, with given limits.
file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output, file_options const& options,
                           file_limits const& limits);
file_report transpose_file_inplace(std::filesystem::path const& path, file_options const& options, file_limits const& limits);

}  // namespace cornerturn
