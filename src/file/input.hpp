#pragma once

#include <cstdint>
#include <filesystem>

#include "file/descriptor.hpp"

namespace cornerturn {

/// A regular file opened for reading. Its bytes are read into memory and not mapped, so that a disk that fails and a file that
/// shrinks are errors and no signals.
class input_file {
 public:
  /// Throws `error` where there is no such file, it is no regular one or may not be read.
  explicit input_file(std::filesystem::path path);

  std::filesystem::path const& path() const { return path_; }
  std::int64_t size() const { return size_; }  ///< bytes, when it was opened

  /// Reads `bytes` bytes from `offset` on. Throws `error` where they are not all there.
  void read(std::int64_t offset, void* to, std::int64_t bytes) const;

  /// Has the system begin to bring these bytes from the disk, and nothing besides.
  void ask_for(std::int64_t offset, std::int64_t bytes) const noexcept;

  /// Lets the system use the memory in which it keeps these bytes for others.
  void forget(std::int64_t offset, std::int64_t bytes) const noexcept;

 private:
  std::filesystem::path path_;
  descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace cornerturn
