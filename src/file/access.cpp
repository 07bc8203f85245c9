#include "file/access.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

constexpr char kAccessControlList[] = "system.posix_acl_access";
constexpr mode_t kPermissions = 0777, kOwner = 0700, kOwnerMayWrite = 0600;
constexpr uid_t kSameOwner = uid_t(-1);

/// True where errno says that a file has no access control list, or that its filesystem has none.
bool has_no_list() { return errno == ENODATA || errno == EOPNOTSUPP; }

void keep_access_control_list(std::filesystem::path const& replaced, descriptor const& file) {
  std::string list(XATTR_SIZE_MAX, '\0');
  auto const size = ::getxattr(replaced.c_str(), kAccessControlList, list.data(), list.size());
  bool kept = size >= 0 || has_no_list();
  if (size >= 0)
    kept = ::fsetxattr(file.get(), kAccessControlList, list.data(), std::size_t(size), 0) == 0;
  else if (kept)  // the folder may have given the new file one
    kept = ::fremovexattr(file.get(), kAccessControlList) == 0 || has_no_list();
  if (!kept) fail_by_errno(replaced, "cannot be written, as its access control list cannot be kept");
}

}  // namespace

void refuse_sticky(std::filesystem::path const& file, struct stat const& old, std::filesystem::path const& folder) {
  struct stat around;
  if (::stat(folder.c_str(), &around) != 0 || !(around.st_mode & S_ISVTX)) return;
  if (auto const user = ::geteuid(); user == old.st_uid || user == around.st_uid) return;
  // The privilege to replace another user's file (CAP_FOWNER) is the one that O_NOATIME asks for.
  descriptor const privileged(::open(file.c_str(), O_WRONLY | O_NOATIME | O_NONBLOCK | O_CLOEXEC));
  if (privileged || errno != EPERM) return;
  throw error(error_kind::file,
              fmt::format("{} cannot be written: it is another user's, and {} is sticky", file.string(), folder.string()));
}

mode_t keep_access(std::filesystem::path const& replaced, struct stat const& old, descriptor const& file) {
  // The order matters: the group comes before anything that lets the group in.
  bool const group_kept = ::fchown(file.get(), old.st_uid, old.st_gid) == 0 || ::fchown(file.get(), kSameOwner, old.st_gid) == 0;
  keep_access_control_list(replaced, file);
  if (::fchmod(file.get(), kOwnerMayWrite) != 0) fail_by_errno(replaced, "cannot be written");
  return old.st_mode & (group_kept ? kPermissions : kOwner);
}

}  // namespace cornerturn
