#pragma once

#include <cstdint>
#include <filesystem>

#include "file/descriptor.hpp"

namespace cornerturn {

/// A regular file opened for reading. It is read by pread and not mapped, so that a disk failure or a truncation is an error and
/// not a signal.
class input_file {
 public:
  /// Throws `error` if the file does not exist, is not a regular file or is not readable.
  explicit input_file(std::filesystem::path path);

  std::filesystem::path const& path() const { return path_; }
  std::int64_t size() const { return size_; }  ///< size in bytes when the file was opened

  /// Keeps calls in place from changing the file while this object lives (flock). Throws `error` if another process has locked
  /// it.
  void lock() const;

  /// Reads `bytes` bytes at byte `offset`. Throws `error` if the file ends before them or reading fails.
  void read(std::int64_t offset, void* to, std::int64_t bytes) const;

  /// Starts reading these bytes from the disk into the page cache (POSIX_FADV_WILLNEED).
  void prefetch(std::int64_t offset, std::int64_t bytes) const noexcept;

  /// Drops these bytes from the page cache (POSIX_FADV_DONTNEED).
  void drop_cache(std::int64_t offset, std::int64_t bytes) const noexcept;

 private:
  std::filesystem::path path_;
  descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace cornerturn
