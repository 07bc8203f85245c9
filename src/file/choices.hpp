#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/fork_safe_mutex.hpp"

namespace cornerturn {

/// The user's folder for measured choices: $CORNERTURN_CACHE_DIR, $XDG_CACHE_HOME/cornerturn or ~/.cache/cornerturn. Empty if the
/// environment sets none of these variables nor $HOME.
std::filesystem::path choices_folder();

/// Measured choices by key. Keys and choices are single lines without tabs.
using choices = std::map<std::string, std::string>;

/// The file of choices in a folder. Its name and first line hold the version of the format; its last line holds the number of
/// choices, so that truncation is detected.
std::filesystem::path choices_file(std::filesystem::path const& folder);
/// Reads a file of choices; a missing file has none. Throws `error` (kind file) if the file is damaged or cannot be read.
choices read_choices(std::filesystem::path const& file);

/// The default timeout for the lock that add_choice takes. A process holds it for some milliseconds.
inline constexpr std::chrono::milliseconds kChoicesPatience{5000};

/// Adds one choice to a folder's file, which is created if it is missing and replaced if it is damaged. A lock serialises
/// processes that do so, and the file is replaced atomically. The files, and a folder with no other entries, are made accessible
/// to the user only. Returns false if the lock is not free within `patience`. Throws `error` (kind file) for any other failure,
/// for a folder or file of another user except root, and for one that others may write to and that cannot be closed.
bool add_choice(std::filesystem::path const& folder, std::string const& key, std::string const& choice,
                std::chrono::milliseconds patience = kChoicesPatience);

/// The choices of the user's folder, read once. A failed file operation is reported as a warning; choices then live as long as
/// this object. The class is thread-safe, and a thread never waits while another one reads, writes or warns. If another process
/// holds the folder's lock, one thread waits for it and warns; from then on choices are stored only if the lock is free at once.
/// A folder that `add_choice` rejects is not used, with one warning. Reading closes files to others, too.
class choice_memory {
 public:
  explicit choice_memory(std::chrono::milliseconds patience = kChoicesPatience) : patience_(patience) {}

  std::optional<std::string> find(std::string const& key);
  void remember(std::string const& key, std::string const& choice);
  /// Forgets all choices; the next call reads the file again.
  void clear();

 private:
  /// Reads the folder's file unless `choices_` already comes from that folder.
  void load(std::filesystem::path const& folder);

  fork_safe_mutex mutex_;
  std::chrono::milliseconds patience_;           ///< 0 after the lock has timed out once
  std::optional<std::filesystem::path> folder_;  ///< the folder that `choices_` were read from
  bool is_refused_ = false;                      ///< true if `folder_` is not used
  choices choices_;
};

}  // namespace cornerturn
