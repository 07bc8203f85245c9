#include "file/access.hpp"

#include <endian.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/limits.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <span>

#include "cornerturn/error.hpp"

namespace cornerturn {
namespace {

constexpr char kAccessControlList[] = "system.posix_acl_access";
constexpr mode_t kPermissions = 0777, kOwner = 0700;
constexpr uid_t kSameOwner = uid_t(-1);

/// True if errno says that a file has no access control list, or that its filesystem has none.
bool has_no_list() { return errno == ENODATA || errno == EOPNOTSUPP; }

/// An access control list in the kernel's format.
struct access_control_list {
  posix_acl_xattr_header header;
  posix_acl_xattr_entry entries[(XATTR_SIZE_MAX - sizeof(posix_acl_xattr_header)) / sizeof(posix_acl_xattr_entry)];
};

/// Removes the rights of everyone except the owner: of others, and of users and groups by the mask or, without a mask, by the
/// only group's entry. `fchmod` sets the same entries, so the permissions that are set at the end restore them.
void close_to_others(std::span<posix_acl_xattr_entry> entries) {
  auto const tag_of = [](posix_acl_xattr_entry const& each) { return le16toh(each.e_tag); };
  bool const has_mask = std::ranges::count(entries, ACL_MASK, tag_of) > 0;
  for (auto& each : entries)
    if (auto const tag = tag_of(each); tag == ACL_OTHER || tag == (has_mask ? ACL_MASK : ACL_GROUP_OBJ)) each.e_perm = 0;
}

void keep_access_control_list(std::filesystem::path const& replaced, descriptor const& file) {
  auto const list = std::make_unique<access_control_list>();
  auto const size = ::getxattr(replaced.c_str(), kAccessControlList, list.get(), sizeof *list);
  bool kept = size >= 0 || has_no_list();
  if (size >= 0) {
    close_to_others({list->entries, (std::size_t(size) - sizeof list->header) / sizeof list->entries[0]});
    kept = ::fsetxattr(file.get(), kAccessControlList, list.get(), std::size_t(size), 0) == 0;
  } else if (kept) {  // the folder may have given the new file one
    kept = ::fremovexattr(file.get(), kAccessControlList) == 0 || has_no_list();
  }
  if (!kept) fail_by_errno(replaced, "cannot be written, as its access control list cannot be kept");
}

}  // namespace

void refuse_sticky(std::filesystem::path const& file, struct stat const& old, std::filesystem::path const& folder) {
  struct stat around;
  if (::stat(folder.c_str(), &around) != 0 || !(around.st_mode & S_ISVTX)) return;
  if (auto const user = ::geteuid(); user == old.st_uid || user == around.st_uid) return;
  // O_NOATIME needs the privilege to replace another user's file (CAP_FOWNER).
  descriptor const privileged(::open(file.c_str(), O_WRONLY | O_NOATIME | O_NONBLOCK | O_CLOEXEC));
  if (privileged || errno != EPERM) return;
  throw error(error_kind::file,
              fmt::format("{} cannot be written: it is another user's, and {} is sticky", file.string(), folder.string()));
}

mode_t keep_access(std::filesystem::path const& replaced, struct stat const& old, descriptor const& file) {
  // No step gives access to anyone but the owner: a file opened between two steps could read everything that is written later.
  bool const group_kept = ::fchown(file.get(), old.st_uid, old.st_gid) == 0 || ::fchown(file.get(), kSameOwner, old.st_gid) == 0;
  keep_access_control_list(replaced, file);
  return old.st_mode & (group_kept ? kPermissions : kOwner);
}

}  // namespace cornerturn
