#pragma once

#include <filesystem>
#include <string>

namespace cornerturn::cpu {

/// The least number of processors whose time the control group of a process and the groups above it grant; a huge number if none
/// sets a limit. The arguments are those of `groups`.
double quota(std::filesystem::path const& mounted, std::string const& listed);

}  // namespace cornerturn::cpu
