#pragma once

#include <filesystem>
#include <string>

namespace cornerturn::cpu {

/// Processors' worth of time that a process is granted by its control group and all above it (cgroup v2), the least of them; many
/// where none sets a limit. `mounted` is where the groups are, `groups` the text of /proc/self/cgroup.
double quota(std::filesystem::path const& mounted, std::string const& groups);

}  // namespace cornerturn::cpu
