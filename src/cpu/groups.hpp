#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn::cpu {

/// The control groups of this process, as arguments of `groups`.
inline constexpr char kMountedGroups[] = "/sys/fs/cgroup";
std::string listed_groups();

/// The folders of the control groups that may limit a process: the process's group and all groups above it, both in the tree that
/// all controllers share (version 2) and in a controller's own tree (version 1), because a system may have both. `mounted` is the
/// folder of the trees, `listed` the text of /proc/self/cgroup. Some folders may not exist: in a container the text often has the
/// names that groups have outside.
std::vector<std::filesystem::path> groups(std::filesystem::path const& mounted, std::string const& listed,
                                          std::string_view controller);

}  // namespace cornerturn::cpu
