#include "file/choices.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>
#include <system_error>
#include <thread>
#include <utility>

#include "base/warn.hpp"
#include "cornerturn/error.hpp"
#include "file/input.hpp"
#include "file/private.hpp"
#include "file/replace.hpp"

namespace cornerturn {
namespace {

using std::chrono::steady_clock;

/// The version of the file's format. The file's name contains it, so that versions of the library with other formats have files
/// of their own. Files of version 1 may name plans that give wrong results. Files of version 2 name plans by their descriptions.
constexpr int kFormat = 3;
constexpr std::int64_t kMostChoicesBytes = 64 << 20;  ///< some hundred thousand choices
constexpr std::string_view kPrefix = "choices-";
constexpr std::chrono::milliseconds kBetweenAttempts{5};

std::string header() { return fmt::format("cornerturn choices {}", kFormat); }
std::string footer(std::size_t count) { return fmt::format("end {}", count); }

[[noreturn]] void damaged(std::filesystem::path const& file, std::size_t line) {
  throw error(error_kind::file, fmt::format("{} is damaged at line {}", file.string(), line));
}

std::filesystem::path lock_file(std::filesystem::path const& folder) { return choices_file(folder).replace_extension(".lock"); }

/// Closes a folder and its choices to other users. Returns the reason if they cannot be used, because other users could replace
/// the files or hold the lock; otherwise an empty text.
std::string why_refused(std::filesystem::path const& folder) {
  auto why = close_folder(folder, kPrefix);
  if (why.empty()) why = close_file(lock_file(folder));
  return why.empty() ? close_file(choices_file(folder)) : why;
}

/// Holds the lock of a folder's choices for its lifetime, so that one process at a time adds a choice. The system releases the
/// lock if the process is killed.
class folder_lock {
 public:
  /// Waits for the lock until `deadline`. Afterwards the object is false if another process still holds it.
  folder_lock(std::filesystem::path const& folder, steady_clock::time_point deadline) {
    auto const path = lock_file(folder);
    file_ = descriptor(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, kPrivateFile));
    if (!file_) fail_by_errno(path, "cannot be written");
    // LOCK_NB: a call that waits has no time limit, and any process that can open the file can hold its lock for ever.
    while (!(locked_ = ::flock(file_.get(), LOCK_EX | LOCK_NB) == 0)) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail_by_errno(path, "cannot be locked");
      if (steady_clock::now() >= deadline) return;
      std::this_thread::sleep_for(kBetweenAttempts);
    }
  }
  folder_lock(folder_lock const&) = delete;
  /// Unlocks explicitly, because a child that was forked meanwhile shares the open file, and so keeps the lock after it is
  /// closed.
  ~folder_lock() {
    if (locked_) ::flock(file_.get(), LOCK_UN);
  }

  explicit operator bool() const { return locked_; }

 private:
  descriptor file_;
  bool locked_ = false;
};

/// Calls `body` and returns the message of the `error` that it throws, else an empty text.
template <class Body>
std::string failure_of(Body const& body) {
  try {
    body();
    return {};
  } catch (error const& e) {
    return e.what();
  }
}

void warn_of(std::string_view failure, std::string_view consequence) {
  if (!failure.empty()) warn(fmt::format("{}; {}", failure, consequence));
}

}  // namespace

std::filesystem::path choices_folder() {
  auto const variable = [](char const* name) {
    char const* const value = std::getenv(name);
    return std::filesystem::path(value ? value : "");
  };
  if (auto const own = variable("CORNERTURN_CACHE_DIR"); !own.empty()) return own;
  if (auto const caches = variable("XDG_CACHE_HOME"); caches.is_absolute()) return caches / "cornerturn";
  if (auto const home = variable("HOME"); !home.empty()) return home / ".cache" / "cornerturn";
  return {};
}

std::filesystem::path choices_file(std::filesystem::path const& folder) {
  return folder / fmt::format("{}{}.txt", kPrefix, kFormat);
}

choices read_choices(std::filesystem::path const& file) {
  std::error_code unknown;
  if (std::filesystem::status(file, unknown).type() == std::filesystem::file_type::not_found) return {};
  input_file const input(file);
  if (input.size() > kMostChoicesBytes)
    throw error(error_kind::file,
                fmt::format("{} is damaged: {} bytes, more than {}", file.string(), input.size(), kMostChoicesBytes));
  std::string text(std::size_t(input.size()), '\0');
  input.read(0, text.data(), input.size());

  choices result;
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line) || line != header()) damaged(file, 1);
  std::size_t number = 2;
  for (; std::getline(lines, line) && line != footer(result.size()); ++number) {
    auto const tab = line.rfind('\t');
    if (tab == std::string::npos || !result.emplace(line.substr(0, tab), line.substr(tab + 1)).second) damaged(file, number);
  }
  if (!lines || !text.ends_with('\n') || lines.peek() != std::istringstream::traits_type::eof()) damaged(file, number);
  return result;
}

bool add_choice(std::filesystem::path const& folder, std::string const& key, std::string const& choice,
                std::chrono::milliseconds patience) {
  make_private_folder(folder);
  if (auto const why = why_refused(folder); !why.empty()) throw error(error_kind::file, why);
  std::string damage;
  {
    folder_lock const lock(folder, steady_clock::now() + patience);
    if (!lock) return false;
    auto const file = choices_file(folder);
    choices all;
    damage = failure_of([&] { all = read_choices(file); });
    all[key] = choice;

    std::string text = header() + '\n';
    for (auto const& [each, chosen] : all) text += each + '\t' + chosen + '\n';
    text += footer(all.size()) + '\n';
    replacement result(file, {.permissions = kPrivateFile});
    result.write(0, text.data(), std::int64_t(text.size()));
    result.commit();
  }
  warn_of(damage, "it is replaced");
  return true;
}

void choice_memory::load(std::filesystem::path const& folder) {
  if (std::lock_guard const lock(mutex_); folder_ == folder) return;
  choices read;
  auto const refusal = why_refused(folder);
  auto const failure =
      folder.empty() || !refusal.empty() ? refusal : failure_of([&] { read = read_choices(choices_file(folder)); });
  {
    std::lock_guard const lock(mutex_);
    if (folder_ == folder) return;  // another thread was quicker
    folder_ = folder;
    is_refused_ = !refusal.empty();
    choices_ = std::move(read);
  }
  warn_of(failure, "it is ignored");
}

std::optional<std::string> choice_memory::find(std::string const& key) {
  load(choices_folder());
  std::lock_guard const lock(mutex_);
  auto const found = choices_.find(key);
  return found == choices_.end() ? std::nullopt : std::optional(found->second);
}

void choice_memory::remember(std::string const& key, std::string const& choice) {
  auto const folder = choices_folder();
  load(folder);
  auto const [patience, is_refused] = [&] {
    std::lock_guard const lock(mutex_);
    choices_[key] = choice;
    return std::pair(patience_, is_refused_);
  }();
  if (folder.empty() || is_refused) return;
  auto const failure = failure_of([&] {
    if (add_choice(folder, key, choice, patience)) return;
    std::lock_guard const lock(mutex_);
    if (std::exchange(patience_, {}) > patience_.zero())  // once
      throw error(error_kind::file, fmt::format("{} is locked by another process", folder.string()));
  });
  warn_of(failure, "the choice lasts as long as this process");
}

void choice_memory::clear() {
  std::lock_guard const lock(mutex_);
  folder_.reset();
}

}  // namespace cornerturn
