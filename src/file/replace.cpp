#include "file/replace.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <random>

#include "base/warn.hpp"
#include "cornerturn/error.hpp"
#include "cornerturn/file.hpp"
#include "file/access.hpp"
#include "file/offsets.hpp"
#include "file/private.hpp"

namespace cornerturn {
namespace {

constexpr int kMaxLinks = 40;  // the Linux kernel's limit
constexpr std::int64_t kStatBlock = 512;

/// Calls `attempt` with random names in the folder of `target` until it does not fail with EEXIST. Returns false if it fails with
/// another error.
template <class Attempt>
bool with_new_name(std::filesystem::path const& target, std::filesystem::path& name, Attempt attempt) {
  std::random_device random;
  do {
    name = folder_of(target) / fmt::format(".cornerturn-{:08x}", random());
    if (attempt(name)) return true;
  } while (errno == EEXIST);
  name.clear();
  return false;
}

std::string size_text(std::int64_t bytes) {
  constexpr std::int64_t kKiB = 1 << 10, kMiB = 1 << 20, kGiB = 1 << 30;
  if (bytes < kMiB) return fmt::format("{:.1f} KiB", double(bytes) / kKiB);
  return bytes < kGiB ? fmt::format("{:.1f} MiB", double(bytes) / kMiB) : fmt::format("{:.1f} GiB", double(bytes) / kGiB);
}

/// True if the filesystem's count of free blocks is exact and files are not compressed: ext2 to ext4, XFS, F2FS and tmpfs. Other
/// filesystems (btrfs, ZFS, FUSE, NFS, overlays) may have room for more than they report.
bool counts_blocks(descriptor const& file) {
  constexpr std::array<std::uint32_t, 4> kExact{0xEF53, 0x58465342, 0xF2F52010, 0x01021994};  // statfs(2) lists them
  struct statfs filesystem;
  return ::fstatfs(file.get(), &filesystem) == 0 && std::ranges::count(kExact, std::uint32_t(filesystem.f_type)) > 0;
}

/// The path by which linkat gives an O_TMPFILE file a name.
std::string link_to(descriptor const& file) { return fmt::format("/proc/self/fd/{}", file.get()); }

}  // namespace

std::filesystem::path follow_links(std::filesystem::path path) {
  std::error_code problem;  // opening the folder fails with the same error and reports it
  for (int links = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(path, problem)); ++links) {
    std::filesystem::path const next = std::filesystem::read_symlink(path, problem);
    if (problem || links == kMaxLinks) {
      errno = ELOOP;
      fail_by_errno(path, "cannot be written");
    }
    path = path.parent_path() / next;
  }
  return path;
}

temporary_name::~temporary_name() {
  if (!path.empty()) ::unlink(path.c_str());
}

replacement::replacement(std::filesystem::path const& target, replacement_options const& options)
    : target_(follow_links(target)) {
  if (!target_.has_filename())
    throw error(error_kind::file, fmt::format("'{}' cannot be written: it names no file", target.string()));
  struct stat old;
  bool const replaces = ::stat(target.c_str(), &old) == 0;  // not target_: links of /proc to pipes lead to no path
  if (!replaces && errno != ENOENT) fail_by_errno(target, "cannot be written");
  if (replaces && !S_ISREG(old.st_mode)) {
    throw error(error_kind::file, fmt::format("{} cannot be written: {}", target.string(),
                                              S_ISDIR(old.st_mode) ? "it is a folder" : "it is not a regular file"));
  }
  // A read-only file must be kept, but rename() ignores the permissions of the old file.
  if (replaces && ::faccessat(AT_FDCWD, target_.c_str(), W_OK, AT_EACCESS) != 0) fail_by_errno(target, "cannot be written");
  if (replaces) refuse_sticky(target_, old, folder_of(target_));

  mode_t const made_with = replaces ? kPrivateFile : options.permissions;
  if (!options.nameless || !open_nameless(made_with)) open_named(made_with);
  if (replaces) permissions_ = keep_access(target_, old, file_);
}

bool replacement::open_nameless(mode_t permissions) {
#ifdef O_TMPFILE
  file_ = descriptor(::open(folder_of(target_).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, permissions));
  return file_ && ::access(link_to(file_).c_str(), F_OK) == 0;
#else
  return false;
#endif
}

void replacement::open_named(mode_t permissions) {
  bool const opened = with_new_name(target_, temporary_.path, [&](std::filesystem::path const& name) {
    file_ = descriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, permissions));
    return static_cast<bool>(file_);
  });
  if (!opened) fail_by_errno(target_, "cannot be written");
}

/// The maximum size of the file in bytes, with or without the blocks reserved for root; empty if the filesystem does not report
/// it.
std::optional<std::int64_t> replacement::available_bytes(bool with_reserved) const {
  struct statfs filesystem;
  struct stat taken;
  std::int64_t bytes = 0;
  if (::fstatfs(file_.get(), &filesystem) != 0 || ::fstat(file_.get(), &taken) != 0 || filesystem.f_blocks == 0 ||
      __builtin_mul_overflow(with_reserved ? filesystem.f_bfree : filesystem.f_bavail, filesystem.f_frsize, &bytes) ||
      __builtin_add_overflow(bytes, taken.st_blocks * kStatBlock, &bytes))
    return {};
  return bytes;
}

std::string replacement::shortage(std::int64_t available) const {
  return fmt::format("it needs {} in {}, and {} are free", size_text(bytes_), folder_of(target_).string(), size_text(available));
}

void replacement::fail_to_write() const {
  int const why = errno;
  auto const available = available_bytes(false);
  errno = why;
  if (why != ENOSPC || !available) fail_by_errno(target_, "cannot be written");
  throw error(error_kind::file, fmt::format("{} cannot be written: {}", target_.string(), shortage(*available)));
}

void replacement::reserve(std::int64_t bytes) {
  bytes_ = bytes;
  // fallocate decides whether this process may use the blocks reserved for root.
  auto const available = available_bytes(true);
  bool const is_short = bytes > available.value_or(bytes);
  if (!counts_blocks(file_)) {
    if (is_short) warn(fmt::format("{} may not fit: {}", target_.string(), shortage(*available)));
    return;
  }
  // Checked here, because fallocate may fill the disk before it fails.
  if (is_short) errno = ENOSPC, fail_to_write();
  while (bytes > 0 && ::fallocate(file_.get(), 0, 0, bytes) != 0) {
    if (errno == EOPNOTSUPP || errno == ENOSYS) return;
    if (errno != EINTR) fail_to_write();
  }
}

void replacement::write(std::int64_t offset, void const* from, std::int64_t bytes) {
  bytes_ = std::max(bytes_, offset + bytes);
  if (!try_write_at(file_, offset, from, bytes)) fail_to_write();
}

void replacement::flush(std::int64_t end) noexcept {
  // fsync does not report again an error that sync_file_range has reported; without sync_file_range, fsync alone does the work
  bool const done = ::sync_file_range(file_.get(), 0, end, SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE) == 0;
  if (!done && errno != EINVAL && errno != ESPIPE && errno != ENOSYS && !flush_error_) flush_error_ = errno;
  if (flushed_ > 0) ::posix_fadvise(file_.get(), 0, flushed_, POSIX_FADV_DONTNEED);  // a length of 0 would mean the whole file
  flushed_ = end;
}

void replacement::give_name() {
  bool const linked = with_new_name(target_, temporary_.path, [&](std::filesystem::path const& name) {
    return ::linkat(AT_FDCWD, link_to(file_).c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  });
  if (!linked) fail_by_errno(target_, "cannot be written");
}

void replacement::commit(std::function<void()> const& before) {
  if (permissions_ && ::fchmod(file_.get(), *permissions_) != 0) fail_by_errno(target_, "cannot be written");
  if (::fsync(file_.get()) != 0) fail_to_write();
  if (flush_error_) errno = flush_error_, fail_to_write();
  if (before) before();
  if (temporary_.path.empty()) give_name();
  if (::rename(temporary_.path.c_str(), target_.c_str()) != 0) fail_by_errno(target_, "cannot be written");
  temporary_.path.clear();
  // The rename is durable only after the folder is synced; without that, a power failure leaves the old file.
  descriptor const folder(::open(folder_of(target_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
}

void write_file(std::filesystem::path const& path, std::string_view text) {
  std::error_code ignored;  // the replacement reports it
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored)) {
    std::ofstream file(path, std::ios::binary);
    if (!(file << text << std::flush)) fail_by_errno(path, "cannot be written");
    return;
  }
  replacement result(path);
  result.write(0, text.data(), std::ssize(text));
  result.commit();
}

}  // namespace cornerturn
