#pragma once

#include <sys/stat.h>

#include <filesystem>

#include "file/descriptor.hpp"

namespace cornerturn {

/// Throws `error` if the process may write to an existing file with status `old` but may not replace it, because its folder is
/// sticky.
void refuse_sticky(std::filesystem::path const& file, struct stat const& old, std::filesystem::path const& folder);

/// Gives a new file the owner, the group and the POSIX access control list of the file that it replaces, whose status is `old`.
/// Returns the permissions to set when the new file is complete; until then only its owner has access. If the group cannot be
/// kept, the permissions of group and others are dropped, so nobody gains access to the contents.
///
/// Throws `error` if the access control list cannot be kept.
mode_t keep_access(std::filesystem::path const& replaced, struct stat const& old, descriptor const& file);

}  // namespace cornerturn
