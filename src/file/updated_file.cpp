#include "file/updated_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "cornerturn/error.hpp"
#include "file/offsets.hpp"

namespace cornerturn {
namespace {

[[noreturn]] void refuse_update(std::filesystem::path const& path, std::string_view why) {
  throw error(error_kind::file, fmt::format("{} cannot be transposed in place: {}", path.string(), why));
}

}  // namespace

updated_file::updated_file(std::filesystem::path const& path) {
  std::error_code failed;
  path_ = std::filesystem::canonical(path, failed);
  if (failed) {
    errno = failed.value();
    fail_by_errno(path, "cannot be read");
  }
  struct stat status;
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) refuse_update(path_, "it is not a regular file");
  file_ = descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file_) fail_by_errno(path_, "cannot be written");
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) fail_by_errno(path_, "cannot be locked");
    refuse_update(path_, "another process has locked it");
  }
  // Read after the lock, because another process may have changed the file before.
  if (::fstat(file_.get(), &status) != 0) fail_by_errno(path_, "cannot be written");
  if (!S_ISREG(status.st_mode)) refuse_update(path_, "it is not a regular file");
  if (status.st_nlink == 0) refuse_update(path_, "it has been deleted or replaced meanwhile");
  if (status.st_nlink > 1) refuse_update(path_, "it has several hard links, and the journal is beside one of them only");
  size_ = status.st_size;
}

void updated_file::read(std::int64_t offset, void* to, std::int64_t bytes) const { read_at(file_, path_, offset, to, bytes); }

void updated_file::write(std::int64_t offset, void const* from, std::int64_t bytes) {
  write_at(file_, path_, offset, from, bytes);
}

void updated_file::sync() { sync_data(file_, path_); }

}  // namespace cornerturn
