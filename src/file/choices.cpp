#include "file/choices.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cstdlib>
#include <sstream>
#include <system_error>

#include "cornerturn/error.hpp"
#include "file/input.hpp"
#include "file/replace.hpp"
#include "problem/warn.hpp"

namespace cornerturn {
namespace {

/// Part of the file's name as well, so that versions do not overwrite each other's.
constexpr int kFormat = 1;
constexpr std::int64_t kMostBytes = 64 << 20;  ///< some hundred thousand choices

std::string header() { return fmt::format("cornerturn choices {}", kFormat); }
std::string footer(std::size_t count) { return fmt::format("end {}", count); }

[[noreturn]] void damaged(std::filesystem::path const& file, std::size_t line) {
  throw error(error_kind::file, fmt::format("{} is damaged at line {}", file.string(), line));
}

/// Held by the process that adds a choice; given back when the file closes, also where the process is killed.
descriptor lock_folder(std::filesystem::path const& folder) {
  auto const path = choices_file(folder).replace_extension(".lock");
  descriptor file(::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666));
  if (!file) fail_by_errno(path, "cannot be written");
  while (::flock(file.get(), LOCK_EX) != 0)
    if (errno != EINTR) fail_by_errno(path, "cannot be locked");
  return file;
}

/// What `body` throws of files becomes a warning.
template <class Body>
void warn_of_files(std::string_view consequence, Body const& body) {
  try {
    body();
  } catch (error const& e) {
    warn(fmt::format("{}; {}", e.what(), consequence));
  }
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
  return folder / fmt::format("choices-{}.txt", kFormat);
}

choices read_choices(std::filesystem::path const& file) {
  std::error_code unknown;
  if (std::filesystem::status(file, unknown).type() == std::filesystem::file_type::not_found) return {};
  input_file const input(file);
  if (input.size() > kMostBytes)
    throw error(error_kind::file, fmt::format("{} is damaged: {} bytes, more than {}", file.string(), input.size(), kMostBytes));
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

void add_choice(std::filesystem::path const& folder, std::string const& key, std::string const& choice) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw error(error_kind::file, fmt::format("{} cannot be made: {}", folder.string(), failed.message()));
  auto const lock = lock_folder(folder);
  auto const file = choices_file(folder);
  choices all;
  warn_of_files("it is replaced", [&] { all = read_choices(file); });
  all[key] = choice;

  std::string text = header() + '\n';
  for (auto const& [each, chosen] : all) text += each + '\t' + chosen + '\n';
  text += footer(all.size()) + '\n';
  replacement result(file);
  result.reserve(std::int64_t(text.size()));
  result.write(0, text.data(), std::int64_t(text.size()));
  result.commit();
}

choices& choice_memory::loaded(std::filesystem::path const& folder) {
  if (folder_ == folder) return choices_;
  folder_ = folder;
  choices_.clear();
  if (!folder.empty()) warn_of_files("it is ignored", [&] { choices_ = read_choices(choices_file(folder)); });
  return choices_;
}

std::optional<std::string> choice_memory::find(std::string const& key) {
  std::lock_guard const lock(mutex_);
  auto const& known = loaded(choices_folder());
  auto const found = known.find(key);
  return found == known.end() ? std::nullopt : std::optional(found->second);
}

void choice_memory::remember(std::string const& key, std::string const& choice) {
  std::lock_guard const lock(mutex_);
  auto const folder = choices_folder();
  loaded(folder)[key] = choice;
  if (!folder.empty()) warn_of_files("the choice lasts as long as this process", [&] { add_choice(folder, key, choice); });
}

void choice_memory::clear() {
  std::lock_guard const lock(mutex_);
  folder_.reset();
}

}  // namespace cornerturn
