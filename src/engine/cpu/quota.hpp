#pragma once

#include <filesystem>
#include <string>

namespace cornerturn::cpu {

/// Processors' worth of time that a process is granted by its control group and all above it, the least of them; many where none
/// sets a limit. The arguments are those of `groups`.
double quota(std::filesystem::path const& mounted, std::string const& listed);

}  // namespace cornerturn::cpu
