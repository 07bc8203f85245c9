#pragma once

#include <filesystem>
#include <string>

namespace cornerturn::cpu {

/// The processors whose time a process may use: the least limit of its control group and of the groups above it, or a huge number
/// without a limit. The arguments are as in `groups`.
double quota(std::filesystem::path const& mounted, std::string const& listed);

}  // namespace cornerturn::cpu
