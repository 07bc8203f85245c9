// Restricts the tests of a program to one of the sets of instructions of Highway, and finds tests that tests/targets.cmake lacks.
//
// CORNERTURN_TEST_TARGET   the set, as `cornerturn info` prints it, e.g. AVX2; unset: the processor's best
// CORNERTURN_TARGET_TESTS  the patterns of tests/targets.cmake with colons between them; unset: tests are not compared with them

#include <fnmatch.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/info.hpp"
#include "support/targets.hpp"

namespace cornerturn::test {
namespace {

/// The exit status by which ctest knows a run that was skipped.
constexpr int kSkipped = 77;

std::optional<std::string> variable(char const* name) {
  char const* const value = std::getenv(name);
  return value && *value ? std::optional<std::string>(value) : std::nullopt;
}

std::string instructions() { return info().cpu.instructions; }

[[noreturn]] void skip(std::string const& name, char const* why) {
  std::printf("skipped: %s is %s\n", name.c_str(), why);
  std::exit(kSkipped);
}

/// The number of the set of this name. Ends the program if the processor lacks it, or if it is the best one.
std::int64_t target_named(std::string const& name) {
  if (instructions() == name) skip(name, "what tests run with by default");
  for (auto const each : cpu_targets()) {
    hwy::SetSupportedTargetsForTest(each);
    if (instructions() == name) return each;
  }
  skip(name, "no set of instructions of this processor, or the library has a Highway of its own");
}

/// The patterns between colons, as gtest's filters have them.
std::vector<std::string> patterns_in(std::string const& text) {
  std::vector<std::string> result;
  std::istringstream in(text);
  for (std::string each; std::getline(in, each, ':');) result.push_back(each);
  return result;
}

bool fits(std::string const& pattern, testing::TestInfo const& test) {
  auto const name = std::string(test.test_suite_name()) + '.' + test.name();
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool has_test_of(std::string const& pattern, testing::UnitTest const& all) {
  for (int i = 0; i < all.total_test_suite_count(); ++i)
    for (int j = 0; j < all.GetTestSuite(i)->total_test_count(); ++j)
      if (fits(pattern, *all.GetTestSuite(i)->GetTestInfo(j))) return true;
  return false;
}

class one_target : public testing::EmptyTestEventListener {
  void OnTestProgramStart(testing::UnitTest const& all) override {
    if (name_) target_ = target_named(*name_);
    for (auto const& each : known_) EXPECT_TRUE(has_test_of(each, all)) << "tests/targets.cmake: no test fits " << each;
  }

  /// Suites that run with each set end with another one.
  void OnTestStart(testing::TestInfo const&) override { hwy::SetSupportedTargetsForTest(target_); }

  void OnTestEnd(testing::TestInfo const& test) override {
    // Highway chooses a set when a function is called that it has compiled for several.
    if (!hwy::GetChosenTarget().IsInitialized()) return;
    EXPECT_EQ(instructions(), name_.value_or(instructions())) << "are the instructions that were used";
    if (known_.empty() || std::string_view(test.test_suite_name()).starts_with("instructions/")) return;
    EXPECT_TRUE(std::ranges::any_of(known_, [&](auto const& each) { return fits(each, test); }))
        << "tests/targets.cmake must say whether this test runs with every set of instructions, because it uses the CPU engine";
  }

  std::optional<std::string> const name_ = variable("CORNERTURN_TEST_TARGET");
  std::vector<std::string> const known_ = patterns_in(variable("CORNERTURN_TARGET_TESTS").value_or(""));
  std::int64_t target_ = 0;  ///< 0: the best one
};

bool const is_added = [] {
  testing::UnitTest::GetInstance()->listeners().Append(new one_target);  // which gtest deletes
  return true;
}();

}  // namespace
}  // namespace cornerturn::test
