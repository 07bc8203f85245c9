#include "file/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/round.hpp"
#include "cornerturn/error.hpp"
#include "file/offsets.hpp"
#include "file/private.hpp"
#include "file/replace.hpp"

namespace cornerturn {
namespace {

constexpr std::int64_t kJournalPage = 4096;  ///< bytes; all parts of a journal begin with a page
constexpr std::uint64_t kHeadMagic = 0x314C4E52554A5443, kUnitMagic = 0x3254494E554A5443;  // "CTJURNL1", "CTJUNIT2"

std::int64_t in_pages(std::int64_t bytes) { return round_up(bytes, kJournalPage); }

/// A checksum that detects incomplete writes. It does not protect against an attacker.
std::uint64_t checksum_of(void const* data, std::int64_t bytes, std::uint64_t seed) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  auto const mixed = [](std::uint64_t sum, std::uint64_t word) { return std::rotl((sum ^ word) * kFactor, 29); };
  auto sum = mixed(seed, std::uint64_t(bytes));
  auto const* const from = static_cast<std::byte const*>(data);
  for (std::int64_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i, std::size_t(std::min<std::int64_t>(8, bytes - i)));
    sum = mixed(sum, word);
  }
  return sum;
}

/// The first page of a journal.
struct head {
  std::uint64_t magic = kHeadMagic;
  std::int64_t description_bytes = 0, unit_bytes = 0, workspace_bytes = 0;
  std::uint64_t checksum = 0;  ///< covers the members before it and the description

  std::uint64_t expected(std::string const& description) const {
    return checksum_of(description.data(), std::ssize(description), checksum_of(this, offsetof(head, checksum), magic));
  }
};

/// The page before a unit's bytes. After the unit's bytes come the bytes that it replaces.
struct unit_head {
  std::uint64_t magic = kUnitMagic;
  std::int64_t number = 0, bytes = 0, replaced_bytes = 0;
  std::uint64_t rest = 0;
  std::uint64_t checksum = 0;  ///< covers the members before it and the unit's bytes

  std::uint64_t expected(journal::unit const& of) const {
    auto const start = checksum_of(this, offsetof(unit_head, checksum), magic);
    return checksum_of(of.replaced.data(), replaced_bytes, checksum_of(of.bytes.data(), bytes, start));
  }
};

[[noreturn]] void refuse_journal(std::filesystem::path const& name, std::string_view why) {
  throw error(error_kind::file, fmt::format("{} {}", name.string(), why));
}

/// Locks a journal as long as its descriptor is open. The lock of the permuted file does not suffice: the file may be moved away
/// while a process permutes it, and another file get its name, and thus its journal's.
void lock(descriptor const& file, std::filesystem::path const& name) {
  if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) fail_by_errno(name, "cannot be locked");
  refuse_journal(name, "is in use by another process, whose file has been renamed");
}

/// Renames a file to a name that no file has. Filesystems that cannot promise this rename it in any case.
bool rename_to_new(std::string const& from, std::filesystem::path const& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  return (errno == EINVAL || errno == ENOSYS) && ::rename(from.c_str(), to.c_str()) == 0;
}

/// Gives a file all of its blocks, so that later writes find room.
void allocate(descriptor const& file, std::filesystem::path const& name, std::int64_t bytes) {
  while (::fallocate(file.get(), 0, 0, bytes) != 0) {
    if (errno == EINTR) continue;
    if (errno != EOPNOTSUPP && errno != ENOSYS) fail_by_errno(name, fmt::format("cannot be made with {} bytes", bytes));
    std::vector<std::byte> const zeros(1 << 20);
    for (std::int64_t done = 0; done < bytes; done += std::ssize(zeros))
      write_at(file, name, done, zeros.data(), std::min<std::int64_t>(bytes - done, std::ssize(zeros)));
    return;
  }
}

}  // namespace

std::filesystem::path journal::name_for(std::filesystem::path const& file) { return file.string() + ".cornerturn-journal"; }

journal::journal(std::filesystem::path name, descriptor file, std::string description, journal_sizes const& sizes)
    : name_(std::move(name)), file_(std::move(file)), description_(std::move(description)), sizes_(sizes) {}

journal journal::create(std::filesystem::path const& name, std::string const& description, journal_sizes const& sizes) {
  auto const first_name = name.string() + ".new";
  // A process that is killed while it creates a journal leaves an incomplete one.
  descriptor const left(::open(first_name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (left) lock(left, name);
  ::unlink(first_name.c_str());
  descriptor file(::open(first_name.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | O_NOFOLLOW, kPrivateFile));
  if (!file) fail_by_errno(name, "cannot be made");
  lock(file, name);
  temporary_name incomplete;
  incomplete.path = first_name;
  journal result(name, std::move(file), description, sizes);
  allocate(result.file_, name, result.total_bytes());
  head first{.description_bytes = std::ssize(description), .unit_bytes = sizes.unit, .workspace_bytes = sizes.workspace};
  first.checksum = first.expected(description);
  write_at(result.file_, name, 0, &first, sizeof first);
  write_at(result.file_, name, kJournalPage, description.data(), std::ssize(description));
  if (::fsync(result.file_.get()) != 0) fail_by_errno(name, "cannot be made");
  if (!rename_to_new(first_name, name)) fail_by_errno(name, "cannot be made");
  incomplete.path = name;
  sync_folder_of(name);
  incomplete.path.clear();
  return result;
}

std::optional<journal> journal::open(std::filesystem::path const& name) {
  constexpr std::int64_t kLongestDescription = 64 << 20, kMostBytes = std::int64_t(1) << 60;
  descriptor file(::open(name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file && errno == ENOENT) return std::nullopt;
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0) fail_by_errno(name, "cannot be opened");
  if (!S_ISREG(status.st_mode)) refuse_journal(name, "is not a regular file");
  lock(file, name);
  if (status.st_uid != ::geteuid()) refuse_journal(name, "is another user's file");
  if (status.st_mode & kWritableByOthers) refuse_journal(name, "can be changed by other users");
  head first;
  if (status.st_size < kJournalPage) refuse_journal(name, "is not a journal of cornerturn");
  read_at(file, name, 0, &first, sizeof first);
  if (first.magic != kHeadMagic) refuse_journal(name, "is not a journal of cornerturn, or one of another version");
  auto const fits = [&](std::int64_t bytes) { return bytes >= 0 && bytes <= status.st_size && bytes <= kMostBytes; };
  bool const has_sizes = fits(first.description_bytes) && first.description_bytes <= kLongestDescription &&
                         kJournalPage + first.description_bytes <= status.st_size && fits(first.unit_bytes) &&
                         fits(first.workspace_bytes);
  std::string description(has_sizes ? std::size_t(first.description_bytes) : 0, '\0');
  if (has_sizes) read_at(file, name, kJournalPage, description.data(), std::ssize(description));
  journal result(name, std::move(file), std::move(description), {first.unit_bytes, first.workspace_bytes});
  if (!has_sizes || first.checksum != first.expected(result.description_) || status.st_size < result.total_bytes())
    refuse_journal(name, "is damaged");
  return result;
}

std::int64_t journal::place_of(std::int64_t number) const {
  return kJournalPage + in_pages(std::ssize(description_)) + number % 2 * (kJournalPage + in_pages(sizes_.unit));
}
std::int64_t journal::workspace_offset() const { return place_of(0) + 2 * (kJournalPage + in_pages(sizes_.unit)); }
std::int64_t journal::total_bytes() const { return workspace_offset() + in_pages(sizes_.workspace); }

std::optional<journal::unit> journal::unit_at(std::int64_t place) const {
  unit_head found;
  auto const at = place_of(place);
  read_at(file_, name_, at, &found, sizeof found);
  bool const is_sound = found.magic == kUnitMagic && found.number >= 0 && found.number % 2 == place && found.bytes >= 0 &&
                        found.bytes <= sizes_.unit && found.replaced_bytes >= 0 &&
                        found.replaced_bytes <= sizes_.unit - found.bytes;
  if (!is_sound) return std::nullopt;
  unit result{found.number, found.rest, std::vector<std::byte>(std::size_t(found.bytes)),
              std::vector<std::byte>(std::size_t(found.replaced_bytes))};
  read_at(file_, name_, at + kJournalPage, result.bytes.data(), found.bytes);
  read_at(file_, name_, at + kJournalPage + found.bytes, result.replaced.data(), found.replaced_bytes);
  return found.checksum == found.expected(result) ? std::optional(std::move(result)) : std::nullopt;
}

bool journal::is_begun(std::int64_t place) const {
  unit_head found;
  read_at(file_, name_, place_of(place), &found, sizeof found);
  return found.magic != 0;
}

std::optional<journal::unit> journal::last() const {
  auto even = unit_at(0), odd = unit_at(1);
  // A crash leaves one place that is not complete; the second place is begun when the first one is complete.
  if (!even && !odd && is_begun(1)) refuse_journal(name_, "is damaged");
  if (!even || !odd) return even ? std::move(even) : std::move(odd);
  return even->number > odd->number ? std::move(even) : std::move(odd);
}

void journal::add(unit const& each) {
  unit_head first{
      .number = each.number, .bytes = std::ssize(each.bytes), .replaced_bytes = std::ssize(each.replaced), .rest = each.rest};
  first.checksum = first.expected(each);
  auto const place = place_of(each.number);
  write_at(file_, name_, place + kJournalPage, each.bytes.data(), first.bytes);
  write_at(file_, name_, place + kJournalPage + first.bytes, each.replaced.data(), first.replaced_bytes);
  write_at(file_, name_, place, &first, sizeof first);
  sync_data(file_, name_);
}

void journal::read_workspace(std::int64_t offset, void* to, std::int64_t bytes) const {
  read_at(file_, name_, workspace_offset() + offset, to, bytes);
}
void journal::write_workspace(std::int64_t offset, void const* from, std::int64_t bytes) {
  write_at(file_, name_, workspace_offset() + offset, from, bytes);
}
void journal::sync_workspace() { sync_data(file_, name_); }

void journal::remove() {
  if (::unlink(name_.c_str()) != 0) fail_by_errno(name_, "cannot be deleted");
  sync_folder_of(name_);
}

}  // namespace cornerturn
