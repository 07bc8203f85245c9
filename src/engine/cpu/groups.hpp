#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace cornerturn::cpu {

/// The process's own, as `groups` below wants them.
inline constexpr char kMountedGroups[] = "/sys/fs/cgroup";
std::string listed_groups();

/// The folders of the control groups that may limit a process: its own and all above it, of the one tree that all controllers
/// share (version 2) and of a controller's own tree (version 1), as both may be there. `mounted` is where the trees are, `listed`
/// the text of /proc/self/cgroup. Some may be missing: in a container the text often names groups as they are called outside.
std::vector<std::filesystem::path> groups(std::filesystem::path const& mounted, std::string const& listed,
                                          std::string_view controller);

}  // namespace cornerturn::cpu
