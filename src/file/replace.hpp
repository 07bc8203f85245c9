#pragma once

#include <sys/types.h>

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

struct replacement_options {
  bool nameless = true;       ///< false does what is done where the filesystem has no nameless files
  mode_t permissions = 0666;  ///< of a file that replaces none, less those that the process masks
};

/// A file written beside its target and then put in its place in one step: until `commit` returns, the target is what it was.
/// Where the filesystem can, the new file has no name before that, so that not even a killed process leaves one behind;
/// elsewhere its name goes with this object. A symbolic link is followed. Who may use the file that is replaced may use the new
/// one, as far as this process can give it to them, and nobody else; before `commit` only its owner may.
class replacement {
 public:
  /// Throws `error` where the folder cannot be written to, or the target is there and no regular file or may not be replaced.
  explicit replacement(std::filesystem::path const& target, replacement_options const& options = {});

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
  bool open_nameless(mode_t permissions);
  void open_named(mode_t permissions);
  void give_name();
  std::optional<std::int64_t> room(bool with_root_s) const;
  std::string shortage(std::int64_t there) const;
  [[noreturn]] void fail_to_write() const;

  std::filesystem::path target_;
  temporary_name temporary_;
  descriptor file_;
  std::optional<mode_t> permissions_;  ///< to be set once all is written
  std::int64_t bytes_ = 0;             ///< that it needs
  std::int64_t flushed_ = 0;           ///< the end of what is on its way to the disk
  int flush_error_ = 0;                ///< errno of the first flush that failed
};

}  // namespace cornerturn
