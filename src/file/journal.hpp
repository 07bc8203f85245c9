#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "file/descriptor.hpp"

namespace cornerturn {

/// The sizes of a journal in bytes.
struct journal_sizes {
  std::int64_t unit = 0;       ///< the limit of a unit's bytes together with the bytes that it replaces
  std::int64_t workspace = 0;  ///< memory on the disk that outlives a unit
  bool operator==(journal_sizes const&) const = default;
};

/// A file that makes a sequence of writes to another file safe against crashes. The writes are grouped in units. A unit's bytes
/// are in the journal, on the disk, before the first of them is written to the other file, and stay there until the other file
/// has them on the disk. So after a crash the last unit of the journal is written again, and the next units follow.
///
/// A journal has a description, which its creator reads back, places for two units, which alternate, and a workspace. It appears
/// under its name when its description is complete, is accessible to its owner only, has all of its blocks from the start, and is
/// locked while it is open.
class journal {
 public:
  /// The name of the journal of a file.
  static std::filesystem::path name_for(std::filesystem::path const& file);

  /// Creates a journal. Throws `error` if this fails, e.g. for lack of space or if there is one already, and then leaves no file.
  static journal create(std::filesystem::path const& name, std::string const& description, journal_sizes const& sizes);

  /// Opens a journal, if there is one. Throws `error` for a file that is not a journal, is damaged, is open in another process, or
  /// may have been written by another user.
  static std::optional<journal> open(std::filesystem::path const& name);

  std::string const& description() const { return description_; }
  journal_sizes const& sizes() const { return sizes_; }

  /// The writes of a unit, and the bytes that the other file has before them.
  struct unit {
    std::int64_t number = 0;
    std::uint64_t rest = 0;           ///< `sum_of` the bytes of the other file that the unit does not write
    std::vector<std::byte> bytes;     ///< the bytes that the unit writes
    std::vector<std::byte> replaced;  ///< the bytes in their places before; may be empty
  };

  /// True if a unit was added, or was being added during a crash.
  bool has_units() const { return is_begun(0) || is_begun(1); }

  /// The last complete unit; nothing if no unit was added. Throws `error` if units were added, but no unit is complete.
  std::optional<unit> last() const;

  /// Adds a unit. When this returns, it is on the disk. Numbers grow by 1, from 0 on.
  void add(unit const& each);

  /// Reads or writes a part of the workspace. `sync_workspace` waits until it is on the disk.
  void read_workspace(std::int64_t offset, void* to, std::int64_t bytes) const;
  void write_workspace(std::int64_t offset, void const* from, std::int64_t bytes);
  void sync_workspace();

  /// Deletes the journal.
  void remove();

 private:
  journal(std::filesystem::path name, descriptor file, std::string description, journal_sizes const& sizes);

  std::int64_t place_of(std::int64_t number) const;
  std::int64_t workspace_offset() const;
  std::int64_t total_bytes() const;
  std::optional<unit> unit_at(std::int64_t place) const;
  bool is_begun(std::int64_t place) const;

  std::filesystem::path name_;
  descriptor file_;
  std::string description_;
  journal_sizes sizes_;
};

}  // namespace cornerturn
