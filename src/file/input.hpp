#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

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

  /// Reads `bytes` bytes from `offset` on; `progress` is told the share read. Throws `error` where they are not all there.
  void read(std::int64_t offset, void* to, std::int64_t bytes, std::function<void(double)> const& progress = {}) const;

 private:
  std::filesystem::path path_;
  descriptor file_;
  std::int64_t size_ = 0;
};

}  // namespace cornerturn
