#include "file/choices.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "cornerturn/error.hpp"
#include "file/descriptor.hpp"
#include "support/message.hpp"
#include "support/scratch.hpp"
#include "support/warnings.hpp"

namespace cornerturn {
namespace {

using namespace std::chrono_literals;

class choices_file_test : public testing::Test {
 protected:
  std::string message_of_reading() const {
    return test::message_of([&] { read_choices(choices_file(folder / "")); }, error_kind::file);
  }
  void add(std::string const& key, std::string const& choice) const { add_choice(folder / "", key, choice); }
  choices all() const { return read_choices(choices_file(folder / "")); }

  test::scratch folder;
  test::warnings warned;
};

TEST_F(choices_file_test, keeps_what_is_added) {
  EXPECT_TRUE(all().empty());
  add("card\t1.0\tproblem\t16 16", "vec-both");
  add("card\t1.0\tother\t16 16", "gather");
  add("card\t1.0\tproblem\t16 16", "naive");
  EXPECT_EQ(all(), (choices{{"card\t1.0\tproblem\t16 16", "naive"}, {"card\t1.0\tother\t16 16", "gather"}}));
  EXPECT_EQ(folder.get("choices-3.txt"),
            "cornerturn choices 3\ncard\t1.0\tother\t16 16\tgather\ncard\t1.0\tproblem\t16 16\tnaive\nend 2\n");
  EXPECT_TRUE(warned.all.empty());
}

TEST_F(choices_file_test, knows_damage) {
  auto const said = [&](std::string const& text) {
    folder.put("choices-3.txt", text);
    auto const message = message_of_reading();
    auto const at = message.find(" is damaged");
    return at == std::string::npos ? message : message.substr(at + 1);
  };
  EXPECT_EQ(said("cornerturn choices 3\na\tb\nend 1\n"), "");
  EXPECT_EQ(said("cornerturn choices 3\nend 0\n"), "");
  EXPECT_EQ(said(""), "is damaged at line 1");
  EXPECT_EQ(said("cornerturn choices 1\na\tb\nend 1\n"), "is damaged at line 1");
  EXPECT_EQ(said(std::string(1000, '\0')), "is damaged at line 1");
  EXPECT_EQ(said("cornerturn choices 3\na\tb\na\tc\nend 2\n"), "is damaged at line 3");
  EXPECT_EQ(said("cornerturn choices 3\na b\nend 1\n"), "is damaged at line 2");
  EXPECT_EQ(said("cornerturn choices 3\na\tb\nend 2\n"), "is damaged at line 3");
  EXPECT_EQ(said("cornerturn choices 3\na\tb\nend 1\nmore\n"), "is damaged at line 3");
}

TEST_F(choices_file_test, knows_every_way_of_being_cut_short) {
  add("a", "b"), add("c", "d");
  auto const whole = folder.get("choices-3.txt");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    folder.put("choices-3.txt", whole.substr(0, length));
    EXPECT_NE(message_of_reading(), "") << length;
  }
}

TEST_F(choices_file_test, replaces_a_damaged_file) {
  folder.put("choices-3.txt", "cornerturn choices 3\na\tb\n");
  add("c", "d");
  EXPECT_EQ(all(), (choices{{"c", "d"}}));
  ASSERT_EQ(warned.all.size(), 1u);
  EXPECT_TRUE(warned.all[0].ends_with("choices-3.txt is damaged at line 3; it is replaced")) << warned.all[0];
}

TEST_F(choices_file_test, is_not_read_where_it_is_huge) {
  folder.put("choices-3.txt", "");
  std::filesystem::resize_file(folder / "choices-3.txt", std::uintmax_t(1) << 42);  // without a byte of it on the disk
  EXPECT_TRUE(message_of_reading().ends_with(" is damaged: 4398046511104 bytes, more than 67108864"));
  add("c", "d");
  EXPECT_EQ(all(), (choices{{"c", "d"}}));
}

TEST_F(choices_file_test, is_safe_with_several_processes) {
  constexpr int kProcesses = 6, kEach = 15;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    pid_t const child = fork();
    if (child == 0) {
      int failed = 0;
      try {
        for (int i = 0; i < kEach; ++i) {
          add(fmt::format("{} {}", process, i), "chosen");
          if (all().size() < std::size_t(i)) failed = 1;
        }
      } catch (...) {
        failed = 1;
      }
      _exit(failed || !warned.all.empty());
    }
    children.push_back(child);
  }
  for (pid_t const child : children) {
    int status = 1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(all().size(), std::size_t(kProcesses * kEach));
}

mode_t permissions_of(std::filesystem::path const& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST_F(choices_file_test, is_for_the_user_alone) {
  mode_t const before = umask(0);
  add_choice(folder / "deep/er", "a", "b");
  umask(before);
  for (auto const name : {"deep", "deep/er"}) EXPECT_EQ(permissions_of(folder / name), 0700u);
  for (auto const name : {"deep/er/choices-3.txt", "deep/er/choices-3.lock"}) EXPECT_EQ(permissions_of(folder / name), 0600u);
}

/// A lock on a folder's choices, as another process may take it.
class kept_lock {
 public:
  explicit kept_lock(std::filesystem::path const& folder)
      : file_(open((folder / "choices-3.lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600)) {
    EXPECT_EQ(flock(file_.get(), LOCK_EX | LOCK_NB), 0);
  }

 private:
  descriptor file_;
};

TEST_F(choices_file_test, waits_for_others_no_longer_than_it_is_told) {
  {
    kept_lock const lock(folder / "");
    EXPECT_FALSE(add_choice(folder / "", "a", "b", 0ms));
    EXPECT_FALSE(add_choice(folder / "", "a", "b", 30ms));
  }
  EXPECT_TRUE(add_choice(folder / "", "c", "d", 0ms));
  EXPECT_EQ(all(), (choices{{"c", "d"}}));
  EXPECT_TRUE(warned.all.empty());
}

TEST_F(choices_file_test, is_unlocked_though_a_child_was_forked_meanwhile) {
  std::vector<pid_t> children;
  {
    std::atomic<int> added = 0;
    std::jthread const adding([&](std::stop_token const& stop) {
      for (; !stop.stop_requested(); ++added) add("a", "b");
    });
    for (int i = 1; i <= 10; ++i) {
      while (added < i) std::this_thread::yield();
      children.push_back(fork());
      if (children.back() == 0) {
        pause();
        _exit(0);
      }
    }
  }
  EXPECT_TRUE(add_choice(folder / "", "c", "d", 0ms));
  for (pid_t const child : children) {
    kill(child, SIGKILL);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
  }
}

TEST_F(choices_file_test, warns_when_it_is_unlocked_again) {
  folder.put("choices-3.txt", "nonsense");
  set_log_hook([&](std::string_view) { add("a", "b"); });
  add("c", "d");
  EXPECT_EQ(all(), (choices{{"a", "b"}, {"c", "d"}}));
}

class choice_memory_test : public testing::Test {
 protected:
  void SetUp() override { setenv("CORNERTURN_CACHE_DIR", (folder / "deep/er").c_str(), 1); }
  void TearDown() override { unsetenv("CORNERTURN_CACHE_DIR"); }

  test::scratch folder;
  test::warnings warned;
};

TEST_F(choice_memory_test, outlives_the_process) {
  choice_memory first;
  EXPECT_EQ(first.find("a"), std::nullopt);
  first.remember("a", "b");
  EXPECT_EQ(first.find("a"), "b");
  choice_memory second;
  EXPECT_EQ(second.find("a"), "b");
  second.remember("c", "d");
  EXPECT_EQ(first.find("c"), std::nullopt);
  first.clear();
  EXPECT_EQ(first.find("c"), "d");
  EXPECT_TRUE(warned.all.empty());
}

TEST_F(choice_memory_test, ignores_a_damaged_file) {
  choice_memory().remember("a", "b");
  folder.put("deep/er/choices-3.txt", "nonsense");
  choice_memory memory;
  EXPECT_EQ(memory.find("a"), std::nullopt);
  EXPECT_EQ(memory.find("a"), std::nullopt);
  ASSERT_EQ(warned.all.size(), 1u);  // once
  EXPECT_TRUE(warned.all[0].ends_with("is damaged at line 1; it is ignored")) << warned.all[0];
}

TEST_F(choice_memory_test, goes_on_where_it_cannot_write) {
  auto const refused = [&](std::filesystem::path const& where) {
    setenv("CORNERTURN_CACHE_DIR", where.c_str(), 1);
    warned.all.clear();
    choice_memory memory;
    memory.remember("a", "b");
    EXPECT_EQ(memory.find("a"), "b");
    return warned.all.empty() ? "" : warned.all.back();
  };
  folder.put("file", "");
  EXPECT_TRUE(refused(folder / "file").ends_with("; the choice lasts as long as this process"));
  EXPECT_TRUE(refused(folder / "file/below").ends_with("; the choice lasts as long as this process"));
  std::filesystem::create_directories(folder / "taken/choices-3.txt");
  EXPECT_TRUE(refused(folder / "taken").ends_with("; the choice lasts as long as this process"));
  if (geteuid() == 0) return;  // root may write everywhere
  std::filesystem::create_directory(folder / "locked");
  chmod((folder / "locked").c_str(), 0555);
  EXPECT_TRUE(refused(folder / "locked").ends_with("; the choice lasts as long as this process"));
}

TEST_F(choice_memory_test, uses_no_folder_that_others_can_change) {
  choice_memory().remember("a", "b");
  auto const path = folder / "deep/er";
  auto const expect_refused = [&](std::string const& why) {
    warned.all.clear();
    choice_memory memory;
    EXPECT_EQ(memory.find("a"), std::nullopt);
    memory.remember("c", "d");
    EXPECT_EQ(memory.find("c"), "d");
    EXPECT_EQ(warned.all, std::vector<std::string>{path.string() + why + "; it is ignored"});
    EXPECT_EQ(read_choices(choices_file(path)), (choices{{"a", "b"}}));
  };
  for (mode_t const mode : {0777, 0770, 0702, 01777}) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
    expect_refused(" can be changed by other users");
    EXPECT_EQ(permissions_of(path), mode);  // the folder may be /tmp
  }
  ASSERT_EQ(chmod(path.c_str(), 0755), 0);
  EXPECT_EQ(choice_memory().find("a"), "b");
  if (geteuid() != 0) return;  // only root may change the owner of a folder
  ASSERT_EQ(chown(path.c_str(), 4243, gid_t(-1)), 0);
  expect_refused(" is another user's folder");
}

TEST_F(choice_memory_test, closes_its_files_to_others) {
  auto const path = folder / "deep/er";
  auto const open_to_others = [&] {
    EXPECT_EQ(chmod(path.c_str(), 0755), 0);
    for (auto const name : {"choices-3.txt", "choices-3.lock"}) EXPECT_EQ(chmod((path / name).c_str(), 0644), 0);
  };
  auto const expect_closed = [&](mode_t folder_permissions) {
    EXPECT_EQ(permissions_of(path), folder_permissions);
    for (auto const name : {"choices-3.txt", "choices-3.lock"}) EXPECT_EQ(permissions_of(path / name), 0600u) << name;
  };
  choice_memory().remember("a", "b");
  open_to_others();
  EXPECT_EQ(choice_memory().find("a"), "b");
  expect_closed(0700);
  open_to_others();
  EXPECT_TRUE(add_choice(path, "c", "d"));
  expect_closed(0700);
  folder.put("deep/er/notes", "which other users may read");
  open_to_others();
  EXPECT_EQ(choice_memory().find("c"), "d");
  expect_closed(0755);
  EXPECT_TRUE(warned.all.empty());
}

TEST_F(choice_memory_test, uses_no_file_of_another_user) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may change the owner of a file";
  auto const path = folder / "deep/er";
  for (auto const name : {"choices-3.txt", "choices-3.lock"}) {
    std::filesystem::remove_all(path);
    choice_memory().remember("a", "b");
    ASSERT_EQ(chown((path / name).c_str(), 4243, gid_t(-1)), 0);
    warned.all.clear();
    choice_memory memory;
    EXPECT_EQ(memory.find("a"), std::nullopt);
    memory.remember("c", "d");
    EXPECT_EQ(warned.all, std::vector<std::string>{(path / name).string() + " is another user's file; it is ignored"});
    EXPECT_EQ(read_choices(choices_file(path)), (choices{{"a", "b"}}));
  }
}

TEST_F(choice_memory_test, goes_on_where_others_keep_the_lock) {
  std::filesystem::create_directories(folder / "deep/er");
  choice_memory memory(10ms);
  {
    kept_lock const lock(folder / "deep/er");
    memory.remember("a", "b");
    ASSERT_EQ(warned.all.size(), 1u);
    EXPECT_EQ(warned.all[0],
              (folder / "deep/er").string() + " is locked by another process; the choice lasts as long as this process");
    memory.remember("c", "d");
    EXPECT_EQ(warned.all.size(), 1u);
    EXPECT_EQ(memory.find("a"), "b");
    EXPECT_EQ(memory.find("c"), "d");
  }
  memory.remember("e", "f");
  EXPECT_EQ(choice_memory().find("e"), "f");
  EXPECT_EQ(warned.all.size(), 1u);
}

TEST_F(choice_memory_test, keeps_nobody_waiting_for_the_lock) {
  std::filesystem::create_directories(folder / "deep/er");
  choice_memory memory(60s);
  std::optional<kept_lock> lock(folder / "deep/er");
  std::atomic<bool> remembered = false;
  std::jthread const waiting([&] {
    memory.remember("a", "b");
    remembered = true;
  });
  while (memory.find("a") != "b") std::this_thread::sleep_for(1ms);
  pid_t const child = fork();
  if (child == 0) _exit(memory.find("a") != "b");
  int status = 1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(remembered);
  lock.reset();
}

TEST_F(choice_memory_test, may_be_used_by_the_hook_that_is_warned) {
  std::filesystem::create_directories(folder / "deep/er");
  folder.put("deep/er/choices-3.txt", "nonsense");
  choice_memory memory;
  set_log_hook([&](std::string_view) { memory.remember("a", "b"); });
  EXPECT_EQ(memory.find("a"), "b");
}

TEST_F(choice_memory_test, follows_the_environment) {
  auto const saved = std::string(std::getenv("HOME") ? std::getenv("HOME") : "");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(choices_folder(), folder / "deep/er");
  unsetenv("CORNERTURN_CACHE_DIR");
  EXPECT_EQ(choices_folder(), "/xdg/cornerturn");
  setenv("XDG_CACHE_HOME", "relative", 1);  // to be ignored, by its specification
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(choices_folder(), "/home/someone/.cache/cornerturn");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(choices_folder(), "/home/someone/.cache/cornerturn");
  unsetenv("HOME");
  EXPECT_EQ(choices_folder(), "");
  choice_memory memory;
  memory.remember("a", "b");
  EXPECT_EQ(memory.find("a"), "b");
  EXPECT_TRUE(warned.all.empty());
  setenv("HOME", saved.c_str(), 1);
}

}  // namespace
}  // namespace cornerturn
