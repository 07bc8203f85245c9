#pragma once

#include <cstdint>
#include <filesystem>

#include "file/descriptor.hpp"

namespace cornerturn {

/// A file that is changed within itself. It is locked (flock) while this object lives.
class updated_file {
 public:
  /// Opens the file that a path leads to. Throws `error` for a file that is missing, may not be read and written, is not a
  /// regular file, has several hard links, or is locked by another process.
  explicit updated_file(std::filesystem::path const& path);

  std::filesystem::path const& path() const { return path_; }  ///< without symbolic links
  std::int64_t size() const { return size_; }                  ///< bytes

  /// Reads or writes `bytes` bytes at byte `offset`. Throws `error` if that fails.
  void read(std::int64_t offset, void* to, std::int64_t bytes) const;
  void write(std::int64_t offset, void const* from, std::int64_t bytes);

  /// Waits until all bytes that were written are on the disk. Throws `error` if that fails.
  void sync();

 private:
  std::filesystem::path path_;
  descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace cornerturn
