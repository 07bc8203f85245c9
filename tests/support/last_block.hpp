#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "launch/run.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"

namespace cornerturn::test {

/// Checks that the block of a plan's last tile accesses the last byte of the problem on either side, and nothing past it. Global
/// memory need not exist.
template <class Plan>
void check_last_block(Plan const& plan, problem const& p) {
  constexpr std::uintptr_t kSource = std::uintptr_t(1) << 44, kDestination = std::uintptr_t(1) << 45;
  recording record{.addresses_only = true, .accesses = {}};
  host::visit_runner(plan, reinterpret_cast<void const*>(kSource), reinterpret_cast<void*>(kDestination), &record,
                     [](host::block_runner const& runner) { runner.run(runner.blocks - 1); });
  std::uintptr_t last_read = 0, last_written = 0;
  for (auto const& each : record.accesses) {
    if (each.space != memory_space::global || !each.active) continue;
    auto& last = each.store ? last_written : last_read;
    EXPECT_GE(each.address, each.store ? kDestination : kSource);
    last = std::max(last, std::uintptr_t(each.address) + std::uintptr_t(each.bytes));
  }
  EXPECT_EQ(last_read - kSource, std::uintptr_t(source_range(p).high)) << to_string(p) << "\n" << describe(plan);
  EXPECT_EQ(last_written - kDestination, std::uintptr_t(destination_range(p).high)) << to_string(p) << "\n" << describe(plan);
}

}  // namespace cornerturn::test
