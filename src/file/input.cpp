#include "file/input.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "cornerturn/error.hpp"
#include "file/offsets.hpp"

namespace cornerturn {

input_file::input_file(std::filesystem::path path) : path_(std::move(path)) {
  // O_NONBLOCK: opening a pipe without a writer must not block; the check below rejects it.
  file_ = descriptor(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status;
  if (!file_ || ::fstat(file_.get(), &status) != 0) fail_by_errno(path_, "cannot be read");
  if (!S_ISREG(status.st_mode)) {
    throw error(error_kind::file, fmt::format("{} cannot be read: {}", path_.string(),
                                              S_ISFIFO(status.st_mode) ? "it is a pipe; store its contents in a file first"
                                                                       : "not a regular file"));
  }
  size_ = status.st_size;
}

void input_file::lock() const {
  // A filesystem without locks has no calls in place, either.
  if (::flock(file_.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw error(error_kind::file, fmt::format("{} cannot be read: another process has locked it", path_.string()));
}

void input_file::read(std::int64_t offset, void* to, std::int64_t bytes) const { read_at(file_, path_, offset, to, bytes); }

void input_file::prefetch(std::int64_t offset, std::int64_t bytes) const noexcept {
  constexpr std::int64_t kMost = 128 << 10;  // Linux may read only the beginning of a larger range
  for (std::int64_t done = 0; done < bytes; done += kMost)
    ::posix_fadvise(file_.get(), offset + done, std::min(kMost, bytes - done), POSIX_FADV_WILLNEED);
}

void input_file::drop_cache(std::int64_t offset, std::int64_t bytes) const noexcept {
  ::posix_fadvise(file_.get(), offset, bytes, POSIX_FADV_DONTNEED);
}

}  // namespace cornerturn
