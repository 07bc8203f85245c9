#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "tile/catalogue.hpp"

namespace cornerturn::test {

/// Every transposing rung with every element size.
inline auto every_rung() {
  std::vector<rung> ids;
  for (auto const& each : kRungs)
    if (each.id != rung::copy) ids.push_back(each.id);
  return testing::Combine(testing::ValuesIn(ids), testing::Values(1, 2, 4, 8, 16));
}

inline std::string rung_test_name(testing::TestParamInfo<std::tuple<rung, int>> const& info) {
  std::string name(name_of(std::get<0>(info.param)));
  std::ranges::replace(name, '-', '_');
  return name + "_" + std::to_string(std::get<1>(info.param)) + "_bytes";
}

}  // namespace cornerturn::test
