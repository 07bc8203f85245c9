#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace cornerturn {

/// The permissions of a file that only the user may read and write.
constexpr mode_t kPrivateFile = 0600;

constexpr mode_t kWritableByOthers = S_IWGRP | S_IWOTH;

/// Makes a folder and the missing ones above it, accessible to the user only, as $XDG_CACHE_HOME's specification says.
void make_private_folder(std::filesystem::path const& folder);

/// Removes the rights of group and others to a folder of the user, if all of its entries begin with `prefix`. A folder with other
/// entries keeps its permissions, because other users may need it. Returns an empty text if the folder can be used or does not
/// exist. Otherwise returns the reason: it belongs to another user except root, group or others may write to it (as to /tmp), or
/// its permissions cannot be changed.
std::string close_folder(std::filesystem::path const& folder, std::string_view prefix);

/// Removes the rights of group and others to a file of the user. Returns why the file cannot be used, as `close_folder` does.
/// `close_folder` must have accepted the folder, so that nobody else can replace the file meanwhile.
std::string close_file(std::filesystem::path const& file);

}  // namespace cornerturn
