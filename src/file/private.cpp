#include "file/private.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "file/descriptor.hpp"

namespace cornerturn {
namespace {

constexpr mode_t kPrivateFolder = 0700;
constexpr mode_t kOfOthers = S_IRWXG | S_IRWXO;

/// True if the entries of a folder can be listed and all begin with `prefix`.
bool holds_only(std::filesystem::path const& folder, std::string_view prefix) {
  std::error_code failed;
  return std::ranges::all_of(std::filesystem::directory_iterator(folder, failed),
                             [&](auto const& each) { return each.path().filename().native().starts_with(prefix); }) &&
         !failed;
}

std::string close_own(std::filesystem::path const& path, mode_t permissions) {
  bool const closed = !(permissions & kOfOthers) || ::chmod(path.c_str(), permissions & 07777 & ~kOfOthers) == 0;
  if (closed || errno == EROFS) return {};  // nobody can write to a read-only filesystem
  return fmt::format("{} cannot be closed to other users: {}", path.string(), std::generic_category().message(errno));
}

}  // namespace

void make_private_folder(std::filesystem::path const& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::is_directory(folder, ignored)) return;
  make_private_folder(folder.parent_path());
  if (::mkdir(folder.c_str(), kPrivateFolder) != 0 && errno != EEXIST) fail_by_errno(folder, "cannot be made");
}

std::string close_folder(std::filesystem::path const& folder, std::string_view prefix) {
  struct stat found;
  if (::stat(folder.c_str(), &found) != 0) return {};
  bool const is_own = found.st_uid == ::geteuid();
  if (!is_own && found.st_uid != 0) return fmt::format("{} is another user's folder", folder.string());
  if (found.st_mode & kWritableByOthers) return fmt::format("{} can be changed by other users", folder.string());
  return is_own && holds_only(folder, prefix) ? close_own(folder, found.st_mode) : "";
}

std::string close_file(std::filesystem::path const& file) {
  struct stat found;
  if (::stat(file.c_str(), &found) != 0) return {};
  if (found.st_uid == ::geteuid()) return close_own(file, found.st_mode);
  if (found.st_uid != 0) return fmt::format("{} is another user's file", file.string());
  return found.st_mode & kWritableByOthers ? fmt::format("{} can be changed by other users", file.string()) : "";
}

}  // namespace cornerturn
