#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <tuple>

#include "cornerturn/error.hpp"
#include "kernel/rung/catalogue.hpp"
#include "kernel/rung/plan.hpp"
#include "support/cases.hpp"

namespace cornerturn::test {

/// Every transposing rung with every element size.
inline auto every_rung() {
  std::vector<rung> ids;
  for (auto const& each : kRungs)
    if (!each.is_copy) ids.push_back(each.id);
  return testing::Combine(testing::ValuesIn(ids), testing::Values(1, 2, 4, 8, 16));
}

/// True if a rung can serve a case. TMA does not support every case.
inline bool serves(rung kernel, transpose_case const& each, int element_size) {
  auto const aligned = [&](std::int64_t shift) { return int(std::gcd(shift * element_size, 16)); };
  try {
    plan_rung(kernel, each.shape(), element_size, {aligned(each.source_shift), aligned(each.destination_shift)});
  } catch (error const&) {
    return false;
  }
  return true;
}

/// The table's cases that a rung serves.
inline std::vector<transpose_case> cases_of(rung kernel, int element_size) {
  auto cases = transpose_cases();
  std::erase_if(cases, [&](auto const& each) { return !serves(kernel, each, element_size); });
  return cases;
}

inline std::string rung_test_name(testing::TestParamInfo<std::tuple<rung, int>> const& info) {
  std::string name(name_of(std::get<0>(info.param)));
  std::ranges::replace(name, '-', '_');
  return name + "_" + std::to_string(std::get<1>(info.param)) + "_bytes";
}

}  // namespace cornerturn::test
