#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "problem/fork_safe_mutex.hpp"

namespace cornerturn {

/// The user's folder for what is measured: $CORNERTURN_CACHE_DIR, $XDG_CACHE_HOME/cornerturn or ~/.cache/cornerturn. Empty where
/// the environment names none.
std::filesystem::path choices_folder();

/// Choices as they are kept in a file: lines of text without tabs, by key.
using choices = std::map<std::string, std::string>;

/// A file of choices, as it is read and written. Its name and first line carry the version of the format, its last line the
/// number of choices, so that one cut short is known. Reading throws `error` (kind file) for a file that is damaged or cannot be
/// read; one that is not there holds nothing.
std::filesystem::path choices_file(std::filesystem::path const& folder);
choices read_choices(std::filesystem::path const& file);

/// How long a process waits for others that add choices. One of them takes some milliseconds.
inline constexpr std::chrono::milliseconds kChoicesPatience{5000};

/// Adds one choice to those in a folder's file, which is made where it is missing and replaced where it is damaged. Processes
/// that do so at once wait for each other, and readers see the old file or the new one. What is made is for the user alone. False
/// where the lock was not free within `patience`; throws `error` (kind file) where anything else fails, and for a folder of
/// another user (root apart) or one that others may write to.
bool add_choice(std::filesystem::path const& folder, std::string const& key, std::string const& choice,
                std::chrono::milliseconds patience = kChoicesPatience);

/// The choices of the user's folder, read once. What fails with files is a warning: a choice then lasts as long as this object.
/// Any thread may use it; no thread waits for one that reads, writes or warns. Where others keep the lock of the folder, one
/// thread waits for it and warns; choices are stored from then on only where it happens to be free. A folder that `add_choice`
/// refuses is neither read nor written, of which one warning tells.
class choice_memory {
 public:
  explicit choice_memory(std::chrono::milliseconds patience = kChoicesPatience) : patience_(patience) {}

  std::optional<std::string> find(std::string const& key);
  void remember(std::string const& key, std::string const& choice);
  /// Forgets what was read, so that the file is read again.
  void clear();

 private:
  /// Makes `choices_` those of the folder.
  void load(std::filesystem::path const& folder);

  fork_safe_mutex mutex_;
  std::chrono::milliseconds patience_;           ///< none once it has run out
  std::optional<std::filesystem::path> folder_;  ///< that `choices_` were read from
  bool is_refused_ = false;                      ///< true if `folder_` is not used
  choices choices_;
};

}  // namespace cornerturn
