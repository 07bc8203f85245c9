#include "file/replace.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <regex>

#include "cornerturn/error.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"
#include "support/warnings.hpp"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using names = std::vector<std::string>;

/// Both ways of keeping the new file beside the old one: without a name and with one.
class replacing : public testing::TestWithParam<bool> {
 protected:
  void replace(fs::path const& target, std::string const& bytes) const {
    replacement file(target, GetParam());
    file.write(0, bytes.data(), std::ssize(bytes));
    file.commit();
  }

  std::string message_of(fs::path const& target) const {
    return test::message_of([&] { replace(target, "new"); }, error_kind::file);
  }

  test::scratch folder;
};

INSTANTIATE_TEST_SUITE_P(, replacing, testing::Bool(),
                         [](auto const& info) { return std::string(info.param ? "nameless" : "named"); });

TEST_P(replacing, makes_a_new_file) {
  replace(folder / "out", "new");
  EXPECT_EQ(folder.get("out"), "new");
  EXPECT_EQ(folder.names(), names{"out"});
}

TEST_P(replacing, keeps_the_old_file_until_it_commits) {
  folder.put("out", "old");
  {
    replacement file(folder / "out", GetParam());
    file.write(0, "new", 3);
    EXPECT_EQ(folder.get("out"), "old");
    EXPECT_EQ(folder.names().size(), GetParam() ? 1u : 2u);
  }
  EXPECT_EQ(folder.get("out"), "old");
  EXPECT_EQ(folder.names(), names{"out"});
}

TEST_P(replacing, keeps_the_old_file_when_it_is_broken_off) {
  folder.put("out", "old");
  replacement file(folder / "out", GetParam());
  file.write(0, "new", 3);
  EXPECT_THROW(file.commit([] { throw 1; }), int);
  EXPECT_EQ(folder.get("out"), "old");
}

TEST_P(replacing, writes_in_any_order) {
  replacement file(folder / "out", GetParam());
  file.reserve(6);
  file.write(3, "def", 3);
  file.flush(6);
  file.write(0, "abc", 3);
  file.commit();
  EXPECT_EQ(folder.get("out"), "abcdef");
}

TEST_P(replacing, says_what_room_there_is) {
  folder.put("out", "old");
  replacement file(folder / "out", GetParam());
  struct statvfs room;
  ASSERT_EQ(statvfs((folder / "").c_str(), &room), 0);
  test::warnings warned;
  auto said = test::message_of([&] { file.reserve(std::int64_t(room.f_blocks * room.f_frsize) + 1); }, error_kind::file);
  if (!warned.all.empty()) said += warned.all.front();  // on a filesystem whose count may be too low
  EXPECT_TRUE(std::regex_match(
      said, std::regex(".*/out (cannot be written|may not fit): it needs [0-9.]+ GiB in .*, and [0-9.]+ GiB are free")))
      << said;
  EXPECT_EQ(folder.get("out"), "old");
}

TEST_P(replacing, keeps_permissions) {
  folder.put("out", "old");
  for (mode_t permissions : {0600, 0644, 0755}) {
    ASSERT_EQ(chmod((folder / "out").c_str(), permissions), 0);
    replace(folder / "out", "new");
    struct stat status;
    ASSERT_EQ(stat((folder / "out").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, permissions);
  }
}

TEST_P(replacing, gives_a_new_file_the_usual_permissions) {
  mode_t const before = umask(027);
  replace(folder / "out", "new");
  umask(before);
  struct stat status;
  ASSERT_EQ(stat((folder / "out").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_P(replacing, follows_symbolic_links) {
  fs::create_directory(folder / "deep");
  folder.put("deep/target", "old");
  fs::create_symlink("deep/link", folder / "out");
  fs::create_symlink("target", folder / "deep/link");
  replace(folder / "out", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "out"));
  EXPECT_EQ(folder.get("deep/target"), "new");

  fs::create_symlink("deep/not yet", folder / "ahead");
  replace(folder / "ahead", "newer");
  EXPECT_EQ(folder.get("deep/not yet"), "newer");
  EXPECT_TRUE(fs::is_symlink(folder / "ahead"));
}

TEST_P(replacing, names_what_is_wrong) {
  fs::create_directory(folder / "sub");
  EXPECT_EQ(message_of(folder / "sub"), (folder / "sub").string() + " cannot be written: it is a folder");
  EXPECT_EQ(message_of(folder / "none/out"), (folder / "none/out").string() + " cannot be written: No such file or directory");
  EXPECT_EQ(message_of("/dev/null"), "/dev/null cannot be written: it is not a regular file");
  EXPECT_EQ(message_of(""), "'' cannot be written: it names no file");
  folder.put("file", "old");
  EXPECT_EQ(message_of(folder / "file/out"), (folder / "file/out").string() + " cannot be written: Not a directory");
  fs::create_symlink("loop", folder / "loop");
  EXPECT_EQ(message_of(folder / "loop"), (folder / "loop").string() + " cannot be written: Too many levels of symbolic links");
  EXPECT_EQ(folder.names(), (names{"file", "loop", "sub"}));
}

/// Root may write anything; while this lives, it is nobody.
class without_privileges {
 public:
  without_privileges() { EXPECT_EQ(root_ ? seteuid(kNobody) : 0, 0); }
  ~without_privileges() { EXPECT_EQ(root_ ? seteuid(0) : 0, 0); }
  static constexpr uid_t kNobody = 65534;

 private:
  bool const root_ = geteuid() == 0;
};

TEST_P(replacing, respects_protected_files_and_folders) {
  folder.put("out", "old");
  fs::create_directory(folder / "sub");
  if (geteuid() == 0) {
    for (auto const& path : {folder / "", folder / "out", folder / "sub"}) {
      ASSERT_EQ(chown(path.c_str(), without_privileges::kNobody, -1), 0);
    }
  }
  without_privileges const now;
  fs::permissions(folder / "out", fs::perms::owner_read);
  EXPECT_EQ(message_of(folder / "out"), (folder / "out").string() + " cannot be written: Permission denied");
  fs::permissions(folder / "sub", fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_EQ(message_of(folder / "sub/out"), (folder / "sub/out").string() + " cannot be written: Permission denied");
  fs::permissions(folder / "out", fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(message_of(folder / "out"), "");
}

}  // namespace
}  // namespace cornerturn
