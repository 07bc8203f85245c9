#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cornerturn::test {

/// The sets of instructions that this processor can be tested with, by Highway's number.
inline std::vector<std::int64_t> cpu_targets() {
  auto const result = hwy::SupportedAndGeneratedTargets();
  return {result.begin(), result.end()};
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
