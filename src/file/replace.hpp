#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "file/descriptor.hpp"

namespace cornerturn {

/// A name that is removed when it goes; empty while there is none.
struct temporary_name {
  std::filesystem::path path;

  temporary_name() = default;
  temporary_name(temporary_name const&) = delete;
  ~temporary_name();
};

/// A file written beside its target and then put in its place in one step: until `commit` returns, the target is what it was.
/// Where the filesystem can, the new file has no name before that, so that not even a killed process leaves one behind;
/// elsewhere its name goes with this object. A symbolic link is followed. The permissions are those of the file that is replaced.
class replacement {
 public:
  /// `nameless` false does what is done where the filesystem has no nameless files.
  ///
  /// Throws `error` where the folder cannot be written to, or the target is there and no regular file or may not be written.
  explicit replacement(std::filesystem::path const& target, bool nameless = true);

  /// Takes room for a file of so many bytes at once, where the filesystem knows how much it has. Throws `error` where there is
  /// less: "OUT cannot be written: it needs 8.0 GiB in FOLDER, and 3.1 GiB are free". Where the filesystem's count may be too
  /// low, this is a warning.
  void reserve(std::int64_t bytes);

  /// Throws `error` where not all of these bytes could be written.
  void write(std::int64_t offset, void const* from, std::int64_t bytes);

  /// Has the system begin to put on the disk what lies before `end`, which is more than 0, and forget what an earlier call has
  /// put there. For what nobody will write to or read soon. `commit` throws what went wrong.
  void flush(std::int64_t end) noexcept;

  /// Puts the file on the disk and in the target's place; `before` is called when only the last step is left, and what it
  /// throws leaves the target as it was. Throws `error` where that fails.
  void commit(std::function<void()> const& before = {});

 private:
  bool open_nameless();
  void open_named();
  void give_name();
  std::optional<std::int64_t> room(bool with_root_s) const;
  std::string shortage(std::int64_t there) const;
  [[noreturn]] void fail_to_write() const;

  std::filesystem::path target_;
  temporary_name temporary_;
  descriptor file_;
  std::int64_t bytes_ = 0;    ///< that it needs
  std::int64_t flushed_ = 0;  ///< the end of what is on its way to the disk
  int flush_error_ = 0;       ///< errno of the first flush that failed
};

}  // namespace cornerturn
