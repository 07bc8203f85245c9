#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

#include "support/sanitized.hpp"

namespace cornerturn::test {

/// The sets of instructions that this processor can be tested with, by Highway's number. Under sanitizers the best and the least
/// of them, because the fuzz program draws all of them there, too.
inline std::vector<std::int64_t> cpu_targets() {
  auto const all = hwy::SupportedAndGeneratedTargets();
  if (is_sanitized() && all.size() > 2) return {all.front(), all.back()};
  return {all.begin(), all.end()};
}

/// The fixture of tests that run with each set of instructions. The parameter is Highway's number.
class on_each_target : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }
};

/// The last argument of INSTANTIATE_TEST_SUITE_P for such a fixture.
inline std::string target_name(testing::TestParamInfo<std::int64_t> const& target) { return hwy::TargetName(target.param); }

}  // namespace cornerturn::test
