#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

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

  /// Appends. `progress` is told the share of these bytes that is written. Throws `error` where not all of them could be.
  void write(void const* from, std::int64_t bytes, std::function<void(double)> const& progress = {});

  /// Puts the file on the disk and in the target's place; `before` is called when only the last step is left, and what it
  /// throws leaves the target as it was. Throws `error` where that fails.
  void commit(std::function<void()> const& before = {});

 private:
  bool open_nameless();
  void open_named();
  void give_name();

  std::filesystem::path target_;
  temporary_name temporary_;
  descriptor file_;
};

}  // namespace cornerturn
