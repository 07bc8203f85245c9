#include "file/journal.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "support/message.hpp"
#include "support/scratch.hpp"

namespace cornerturn {
namespace {

using names = std::vector<std::string>;

using bytes = std::vector<std::byte>;

bytes bytes_of_text(std::string const& text) {
  auto const of = std::as_bytes(std::span(text));
  return {of.begin(), of.end()};
}

std::string text_of(bytes const& each) { return {reinterpret_cast<char const*>(each.data()), each.size()}; }

journal::unit unit_of(int number, std::string const& text) { return {.number = number, .bytes = bytes_of_text(text)}; }

struct journals : testing::Test {
  static constexpr journal_sizes kSizes{.unit = 10'000, .workspace = 5000};

  /// Makes a journal of a description that is longer than a page, with as many units.
  void make(int units) const {
    auto log = journal::create(name, description, kSizes);
    for (int i = 0; i < units; ++i) log.add(unit_of(i, unit(i)));
  }

  /// The last unit of the journal as text, after its number; empty if there is none.
  std::string last() const { return last_of(journal::open(name).value()); }

  static std::string last_of(journal const& log) {
    auto const found = log.last();
    return found ? std::to_string(found->number) + text_of(found->bytes) : "";
  }

  /// Changes one byte of the file, `offset` bytes from where the text is first found.
  void change(std::string const& text, std::int64_t offset) const {
    auto bytes = folder.get("a");
    auto const at = std::int64_t(bytes.find(text)) + offset;
    ASSERT_TRUE(at >= offset && at < std::ssize(bytes));
    bytes[std::size_t(at)] ^= 1;
    put(bytes);
  }

  void put(std::string const& bytes) const {
    folder.put("a", bytes);
    ASSERT_EQ(chmod(name.c_str(), 0600), 0);
  }

  std::string refusal() const {
    return test::message_of([&] { journal::open(name); }, error_kind::file);
  }

  static std::string unit(int number) { return "unit " + std::to_string(number) + std::string(std::size_t(4000 + number), 'x'); }

  test::scratch folder;
  std::filesystem::path const name = folder / "a";
  std::string const description = "described" + std::string(5000, 'd');
};

TEST_F(journals, are_read_back) {
  EXPECT_EQ(journal::name_for("b/c.npy"), "b/c.npy.cornerturn-journal");
  EXPECT_FALSE(journal::open(name));
  make(0);
  EXPECT_EQ(folder.names(), names{"a"});
  EXPECT_EQ(std::filesystem::status(name).permissions(), std::filesystem::perms(0600));
  auto log = journal::open(name).value();
  EXPECT_EQ(log.description(), description);
  EXPECT_EQ(log.sizes().unit, kSizes.unit);
  EXPECT_EQ(log.sizes().workspace, kSizes.workspace);
  EXPECT_FALSE(log.has_units());
  EXPECT_FALSE(log.last());
  for (int i = 0; i < 5; ++i) {
    log.add(unit_of(i, unit(i)));
    EXPECT_EQ(last_of(log), std::to_string(i) + unit(i));
  }
  log.add({.number = 5});
  EXPECT_EQ(last_of(log), "5");
  log.remove();
  EXPECT_EQ(folder.names(), names{});
}

/// The workspace is beside the units, and has all of its bytes from the start.
TEST_F(journals, have_a_workspace) {
  make(0);
  auto const size = std::filesystem::file_size(name);
  std::string const saved(std::size_t(kSizes.workspace), 's'), whole(std::size_t(kSizes.unit), 'u');
  auto log = journal::open(name).value();
  log.write_workspace(0, saved.data(), std::ssize(saved));
  log.sync_workspace();
  for (int i = 0; i < 2; ++i) log.add(unit_of(i, whole));
  log.write_workspace(7, "part", 4);
  std::string found(std::size_t(kSizes.workspace), '\0');
  log.read_workspace(0, found.data(), std::ssize(found));
  EXPECT_EQ(found, std::string(saved).replace(7, 4, "part"));
  EXPECT_EQ(last_of(log), "1" + whole);
  EXPECT_EQ(std::filesystem::file_size(name), size);
}

/// A crash while a unit is added leaves the one before it.
TEST_F(journals, pass_over_a_unit_that_is_not_complete) {
  constexpr std::int64_t kPage = 4096;  // from a unit's head to its bytes
  for (std::int64_t const offset : {0L, 2000L, 4005L, -kPage, -kPage + 8, -kPage + 16, -kPage + 24, -kPage + 32, -kPage + 40}) {
    make(4);
    EXPECT_EQ(last(), "3" + unit(3));
    change(unit(3), offset);
    EXPECT_EQ(last(), "2" + unit(2)) << offset;
    change(unit(2), offset);
    EXPECT_EQ(test::message_of([&] { last(); }, error_kind::file), name.string() + " is damaged") << offset;
    std::filesystem::remove(name);
  }
}

/// A crash while the first unit is added leaves none.
TEST_F(journals, may_have_no_unit_that_is_complete) {
  for (std::int64_t const offset : {0L, -4096L, -4096L + 8}) {
    make(1);
    change(unit(0), offset);
    EXPECT_EQ(last(), "") << offset;
    EXPECT_TRUE(journal::open(name)->has_units());
    std::filesystem::remove(name);
  }
}

TEST_F(journals, keep_what_a_unit_replaces) {
  make(1);
  journal::open(name)->add({.number = 1, .rest = 7, .bytes = bytes_of_text("after"), .replaced = bytes_of_text("before")});
  auto const found = journal::open(name)->last().value();
  EXPECT_EQ(found.rest, 7u);
  EXPECT_EQ(text_of(found.bytes), "after");
  EXPECT_EQ(text_of(found.replaced), "before");
  change("before", 3);
  EXPECT_EQ(last(), "0" + unit(0));
}

/// The next unit takes the place of the one that is not complete.
TEST_F(journals, go_on_after_a_crash) {
  make(4);
  change(unit(3), 100);
  journal::open(name)->add(unit_of(3, unit(3)));
  EXPECT_EQ(last(), "3" + unit(3));
  change(unit(3), 0);
  EXPECT_EQ(last(), "2" + unit(2));
}

/// As in another process, whose file was moved away before another one got its name.
TEST_F(journals, that_are_in_use_are_refused_and_not_replaced) {
  auto const in_use = name.string() + " is in use by another process, whose file has been renamed";
  auto log = std::optional(journal::create(name, description, kSizes));
  log->add(unit_of(0, unit(0)));
  EXPECT_EQ(refusal(), in_use);
  EXPECT_EQ(test::message_of([&] { make(0); }, error_kind::file), name.string() + " cannot be made: File exists");
  EXPECT_EQ(folder.names(), names{"a"});
  std::filesystem::rename(name, folder / "a.new");  // as if it were not complete yet
  EXPECT_EQ(test::message_of([&] { make(0); }, error_kind::file), in_use);
  EXPECT_EQ(folder.names(), names{"a.new"});
  std::filesystem::rename(folder / "a.new", name);
  log.reset();
  EXPECT_EQ(last(), "0" + unit(0));
}

TEST_F(journals, are_refused_where_their_size_or_description_is_wrong) {
  make(2);
  auto const kept = folder.get("a");
  put(kept.substr(0, kept.size() - 1));
  EXPECT_EQ(refusal(), name.string() + " is damaged");
  put(kept.substr(0, 4096));
  EXPECT_EQ(refusal(), name.string() + " is damaged");
  for (std::size_t const at : {std::size_t(8), std::size_t(15), std::size_t(16), std::size_t(24), std::size_t(32),
                               kept.find("described"), kept.find("dddd") + 4990}) {
    auto changed = kept;
    changed[at] ^= 1;
    put(changed);
    EXPECT_EQ(refusal(), name.string() + " is damaged") << at;
  }
  put(kept);
  EXPECT_EQ(refusal(), "");
}

TEST_F(journals, are_refused_if_they_are_foreign) {
  put("");
  EXPECT_EQ(refusal(), name.string() + " is not a journal of cornerturn");
  put(std::string(4095, 'x'));
  EXPECT_EQ(refusal(), name.string() + " is not a journal of cornerturn");
  put(std::string(50'000, 'x'));
  EXPECT_EQ(refusal(), name.string() + " is not a journal of cornerturn, or one of another version");
  std::filesystem::remove(name);
  make(1);
  for (mode_t const mode : {0620, 0602}) {
    ASSERT_EQ(chmod(name.c_str(), mode), 0);
    EXPECT_EQ(refusal(), name.string() + " can be changed by other users");
  }
  ASSERT_EQ(chmod(name.c_str(), 0600), 0);
  if (geteuid() == 0) {
    ASSERT_EQ(chown(name.c_str(), 65534, 65534), 0);
    EXPECT_EQ(refusal(), name.string() + " is another user's file");
  }
  std::filesystem::rename(name, folder / "b");
  std::filesystem::create_symlink("b", name);
  EXPECT_TRUE(refusal().starts_with(name.string() + " cannot be opened: ")) << refusal();
  std::filesystem::remove(name);
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), name.string() + " is not a regular file");
}

/// Nothing is left where no journal can be made, and what a killed process left is replaced.
TEST_F(journals, appear_when_they_are_complete) {
  folder.put("a.new", "incomplete");
  make(1);
  EXPECT_EQ(folder.names(), names{"a"});
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  EXPECT_TRUE(test::message_of([&] { make(0); }, error_kind::file).starts_with(name.string() + " cannot be made: "));
  EXPECT_EQ(folder.names(), names{"a"});
  EXPECT_TRUE(test::message_of([&] { journal::create(folder / "none/a", description, kSizes); }, error_kind::file)
                  .starts_with((folder / "none/a").string() + " cannot be made: "));
}

}  // namespace
}  // namespace cornerturn
