#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "file/descriptor.hpp"

namespace cornerturn {

/// Owns the name of a temporary file and unlinks it on destruction; empty if there is none.
struct temporary_name {
  std::filesystem::path path;

  temporary_name() = default;
  temporary_name(temporary_name const&) = delete;
  ~temporary_name();
};

/// Resolves a chain of symbolic links that a path ends with. Its target need not exist.
std::filesystem::path follow_links(std::filesystem::path path);

/// Options of `replacement`.
struct replacement_options {
  bool nameless = true;       ///< false: do not use O_TMPFILE
  mode_t permissions = 0666;  ///< permissions of a file that did not exist before, reduced by the umask
};

/// Replaces a file atomically: the contents are written to a temporary file in the same folder, and `commit` renames it to the
/// target. If the filesystem supports it, the temporary file has no name (O_TMPFILE), so that even a killed process leaves no
/// file. Otherwise this object unlinks it. A symbolic link is followed. The new file gets the owner, group and permissions of the
/// old one if the process may set them, and nobody gains access; before `commit` only the owner has access.
class replacement {
 public:
  /// Throws `error` if the folder is not writable, or if the target exists and is not a regular file or may not be replaced.
  explicit replacement(std::filesystem::path const& target, replacement_options const& options = {});

  /// Allocates `bytes` bytes on the disk. Throws `error` if the disk is too full: "OUT cannot be written: it needs 8.0 GiB in
  /// FOLDER, and 3.1 GiB are free". If the filesystem's count of free blocks is not exact, nothing is allocated and the error is
  /// a warning.
  void reserve(std::int64_t bytes);

  /// Writes `bytes` bytes at byte `offset`. Throws `error` if that fails.
  void write(std::int64_t offset, void const* from, std::int64_t bytes);

  /// Starts writing the bytes before `end` (> 0), which must be complete, to the disk. Drops the bytes that an earlier call has
  /// written from the page cache. `commit` throws the errors.
  void flush(std::int64_t end) noexcept;

  /// Syncs the file and renames it to the target. `before` is called immediately before the rename; if it throws, the target is
  /// unchanged. Throws `error` if syncing or renaming fails.
  void commit(std::function<void()> const& before = {});

 private:
  bool open_nameless(mode_t permissions);
  void open_named(mode_t permissions);
  void give_name();
  std::optional<std::int64_t> available_bytes(bool with_reserved) const;
  std::string shortage(std::int64_t available) const;
  [[noreturn]] void fail_to_write() const;

  std::filesystem::path target_;
  temporary_name temporary_;
  descriptor file_;
  std::optional<mode_t> permissions_;  ///< to set in `commit`
  std::int64_t bytes_ = 0;             ///< size that the file needs, in bytes
  std::int64_t flushed_ = 0;           ///< end of the flushed range, in bytes
  int flush_error_ = 0;                ///< errno of the first flush that failed
};

}  // namespace cornerturn
