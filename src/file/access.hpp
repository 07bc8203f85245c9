#pragma once

#include <sys/stat.h>

#include <filesystem>

#include "file/descriptor.hpp"

namespace cornerturn {

/// Throws `error` where an existing file, of status `old`, may be written to but not replaced, because its folder is sticky.
void refuse_sticky(std::filesystem::path const& file, struct stat const& old, std::filesystem::path const& folder);

/// Gives a new file the owner, the group and the POSIX access control list of the file that it is to replace, whose status is
/// `old`, and returns the permissions to set once all is written. Until then the new file is its owner's alone. Where the group
/// cannot be kept, the permissions are the owner's alone, so that nobody can read the new file who could not read the old one.
///
/// Throws `error` where the list cannot be kept.
mode_t keep_access(std::filesystem::path const& replaced, struct stat const& old, descriptor const& file);

}  // namespace cornerturn
