#include "file/offsets.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "cornerturn/error.hpp"

namespace cornerturn {

void read_at(descriptor const& file, std::filesystem::path const& path, std::int64_t offset, void* to, std::int64_t bytes) {
  std::int64_t done = 0;
  while (done < bytes) {
    ssize_t const got = ::pread(file.get(), static_cast<char*>(to) + done, std::size_t(bytes - done), offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_by_errno(path, "cannot be read");
    if (got == 0)
      throw error(error_kind::file, fmt::format("{} is truncated: {} bytes are read from byte {} on, and {} are there",
                                                path.string(), bytes, offset, done));
    done += got;
  }
}

bool try_write_at(descriptor const& file, std::int64_t offset, void const* from, std::int64_t bytes) {
  std::int64_t done = 0;
  while (done < bytes) {
    ssize_t const put = ::pwrite(file.get(), static_cast<char const*>(from) + done, std::size_t(bytes - done), offset + done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    done += put;
  }
  return true;
}

void write_at(descriptor const& file, std::filesystem::path const& path, std::int64_t offset, void const* from,
              std::int64_t bytes) {
  if (!try_write_at(file, offset, from, bytes)) fail_by_errno(path, "cannot be written");
}

void sync_data(descriptor const& file, std::filesystem::path const& path) {
  if (::fdatasync(file.get()) != 0) fail_by_errno(path, "cannot be written");
}

std::filesystem::path folder_of(std::filesystem::path const& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

void sync_folder_of(std::filesystem::path const& path) {
  auto const folder = folder_of(path);
  descriptor const opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) fail_by_errno(folder, "cannot be synced");
}

}  // namespace cornerturn
