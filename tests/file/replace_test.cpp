#include "file/replace.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <regex>

#include "cornerturn/error.hpp"
#include "file/access.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"
#include "support/warnings.hpp"

namespace cornerturn {
namespace {

namespace fs = std::filesystem;
using names = std::vector<std::string>;

/// Root may write anything; while this lives, it is nobody.
class without_privileges {
 public:
  without_privileges() { EXPECT_TRUE(!root_ || (setegid(kNobody) == 0 && seteuid(kNobody) == 0)); }
  ~without_privileges() { EXPECT_TRUE(!root_ || (seteuid(0) == 0 && setegid(0) == 0)); }
  static constexpr uid_t kNobody = 65534;

 private:
  bool const root_ = geteuid() == 0;
};

/// Both ways of keeping the new file beside the old one: without a name and with one.
class replacing : public testing::TestWithParam<bool> {
 protected:
  void replace(fs::path const& target, std::string const& bytes) const {
    replacement file(target, {.nameless = GetParam()});
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
    replacement file(folder / "out", {.nameless = GetParam()});
    file.write(0, "new", 3);
    EXPECT_EQ(folder.get("out"), "old");
    EXPECT_EQ(folder.names().size(), GetParam() ? 1u : 2u);
  }
  EXPECT_EQ(folder.get("out"), "old");
  EXPECT_EQ(folder.names(), names{"out"});
}

TEST_P(replacing, keeps_the_old_file_when_it_is_broken_off) {
  folder.put("out", "old");
  replacement file(folder / "out", {.nameless = GetParam()});
  file.write(0, "new", 3);
  EXPECT_THROW(file.commit([] { throw 1; }), int);
  EXPECT_EQ(folder.get("out"), "old");
}

TEST_P(replacing, writes_in_any_order) {
  replacement file(folder / "out", {.nameless = GetParam()});
  file.reserve(6);
  file.write(3, "def", 3);
  file.flush(6);
  file.write(0, "abc", 3);
  file.commit();
  EXPECT_EQ(folder.get("out"), "abcdef");
}

TEST_P(replacing, says_what_room_there_is) {
  folder.put("out", "old");
  replacement file(folder / "out", {.nameless = GetParam()});
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

/// What decides who may use a file.
struct access_rights {
  uid_t owner;
  gid_t group;
  mode_t permissions;
  friend bool operator==(access_rights const&, access_rights const&) = default;
};

access_rights rights_of(fs::path const& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return {status.st_uid, status.st_gid, status.st_mode & 07777};
}

void set_rights(fs::path const& path, access_rights const& rights) {
  EXPECT_EQ(chown(path.c_str(), rights.owner, rights.group), 0);
  EXPECT_EQ(chmod(path.c_str(), rights.permissions), 0);
}

constexpr uid_t kSomeone = 4243;
constexpr gid_t kSomeGroup = 4242;

TEST(replacing_named, is_private_while_it_is_written) {
  test::scratch const folder;
  folder.put("out", "old");
  replacement const file(folder / "out", {.nameless = false});
  auto const names = folder.names();
  ASSERT_EQ(names.size(), 2u);
  EXPECT_EQ(rights_of(folder / names[0]).permissions, 0600u);
}

TEST_P(replacing, keeps_owner_and_group_where_it_may) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  folder.put("out", "old");
  access_rights const rights{kSomeone, kSomeGroup, 0640};
  set_rights(folder / "out", rights);
  replace(folder / "out", "new");
  EXPECT_EQ(rights_of(folder / "out"), rights);
}

TEST_P(replacing, is_its_owner_s_alone_where_the_group_cannot_be_kept) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  folder.put("out", "old");
  set_rights(folder / "", {without_privileges::kNobody, without_privileges::kNobody, 0700});
  set_rights(folder / "out", {kSomeone, kSomeGroup, 0666});
  without_privileges const now;
  replace(folder / "out", "new");
  EXPECT_EQ(rights_of(folder / "out"), (access_rights{without_privileges::kNobody, without_privileges::kNobody, 0600}));
}

TEST_P(replacing, keeps_the_group_where_only_the_owner_changes) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  folder.put("out", "old");
  set_rights(folder / "", {without_privileges::kNobody, kSomeGroup, 02700});  // new files are of the folder's group
  set_rights(folder / "out", {kSomeone, without_privileges::kNobody, 0660});
  without_privileges const now;
  replace(folder / "out", "new");
  EXPECT_EQ(rights_of(folder / "out"), (access_rights{without_privileges::kNobody, without_privileges::kNobody, 0660}));
}

/// A POSIX access control list as the kernel stores it, in which one more user may read and write.
std::string acl_with(uid_t user) {
  constexpr std::uint32_t kVersion = 2, kNoId = 0xFFFFFFFF;
  constexpr std::uint16_t kUserObject = 1, kUser = 2, kGroupObject = 4, kMask = 16, kOther = 32, kReadWrite = 6;
  std::string list;
  auto const add = [&](auto value) { list.append(reinterpret_cast<char const*>(&value), sizeof value); };
  add(kVersion);
  for (auto const& [tag, id] : {std::pair(kUserObject, kNoId), {kUser, user}, {kGroupObject, kNoId}, {kMask, kNoId}}) {
    add(tag), add(kReadWrite), add(id);
  }
  add(kOther), add(std::uint16_t(0)), add(kNoId);
  return list;
}

constexpr char kAcl[] = "system.posix_acl_access", kDefaultAcl[] = "system.posix_acl_default";

std::string acl_of(fs::path const& path) {
  std::string list(1000, '\0');
  auto const size = getxattr(path.c_str(), kAcl, list.data(), list.size());
  list.resize(std::size_t(std::max<ssize_t>(size, 0)));
  return list;
}

TEST_P(replacing, keeps_an_access_control_list) {
  folder.put("out", "old");
  auto const list = acl_with(kSomeone);
  if (setxattr((folder / "out").c_str(), kAcl, list.data(), list.size(), 0) != 0) GTEST_SKIP() << "no access control lists here";
  auto const rights = rights_of(folder / "out");
  replace(folder / "out", "new");
  EXPECT_EQ(acl_of(folder / "out"), list);
  EXPECT_EQ(rights_of(folder / "out"), rights);
}

/// A reader that opened the new file, by its name or through /proc, could read everything that is written to it later.
TEST_P(replacing, lets_nobody_in_by_an_access_control_list_before_all_is_written) {
  folder.put("out", "old");
  auto const list = acl_with(kSomeone);
  if (setxattr((folder / "out").c_str(), kAcl, list.data(), list.size(), 0) != 0) GTEST_SKIP() << "no access control lists here";
  struct stat old;
  ASSERT_EQ(stat((folder / "out").c_str(), &old), 0);
  descriptor const file(open((folder / "new").c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  // Only the list restricts access here: no permissions are set after it.
  mode_t const permissions = keep_access(folder / "out", old, file);
  EXPECT_EQ(rights_of(folder / "new").permissions, 0600u);
  ASSERT_EQ(fchmod(file.get(), permissions), 0);
  EXPECT_EQ(acl_of(folder / "new"), list);
}

TEST_P(replacing, takes_no_access_control_list_from_the_folder) {
  folder.put("out", "old");
  fs::permissions(folder / "out", fs::perms(0640));
  auto const list = acl_with(kSomeone);
  if (setxattr((folder / "").c_str(), kDefaultAcl, list.data(), list.size(), 0) != 0)
    GTEST_SKIP() << "no access control lists here";
  replace(folder / "out", "new");
  EXPECT_EQ(acl_of(folder / "out"), "");
  EXPECT_EQ(rights_of(folder / "out").permissions, 0640u);
}

TEST_P(replacing, is_refused_at_once_in_a_sticky_folder) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  folder.put("out", "old");
  set_rights(folder / "", {kSomeone, kSomeGroup, 01777});
  set_rights(folder / "out", {kSomeone, kSomeGroup, 0666});
  auto const begun = [&] {
    return test::message_of([&] { replacement(folder / "out", {.nameless = GetParam()}); }, error_kind::file);
  };
  EXPECT_EQ(begun(), "") << "root may";
  {
    without_privileges const now;
    EXPECT_EQ(begun(), (folder / "out").string() + " cannot be written: it is another user's, and " +
                           (folder / "").parent_path().string() + " is sticky");
    EXPECT_EQ(message_of(folder / "other"), "");
  }
  set_rights(folder / "out", {without_privileges::kNobody, kSomeGroup, 0666});
  {
    without_privileges const now;
    EXPECT_EQ(message_of(folder / "out"), "") << "its owner may";
  }
  set_rights(folder / "out", {kSomeone, kSomeGroup, 0666});
  set_rights(folder / "", {without_privileges::kNobody, kSomeGroup, 01777});
  without_privileges const now;
  EXPECT_EQ(message_of(folder / "out"), "") << "the folder's owner may";
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
