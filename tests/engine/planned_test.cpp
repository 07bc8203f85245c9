#include "engine/host/host.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <variant>
#include <vector>

#include "plan/choose.hpp"
#include "problem/permuted.hpp"
#include "problem/validate.hpp"
#include "support/slowed.hpp"

namespace cornerturn {
namespace {

/// Kernels compute alignment from the low 32 bits of an address. The undefined-behaviour sanitizer would report an overflow.
TEST(planned, lower_halves_of_addresses_may_pass_2_to_the_31) {
  constexpr std::uintptr_t kMiddle = std::uintptr_t(1) << 31, kSource = (std::uintptr_t(1) << 44) + kMiddle - 512,
                           kDestination = (std::uintptr_t(1) << 45) + kMiddle - 512;
  for (std::int64_t const size :
       test::is_slowed() ? std::vector<std::int64_t>{1, 8} : std::vector<std::int64_t>{1, 2, 4, 8, 16}) {
    auto const p = permutation(std::vector<std::int64_t>{2, 157, 131}, {}, std::vector<std::int64_t>{0, 2, 1}, size);
    for (auto const& way : candidates_of(p, {int(size), int(size)})) {
      recording record{.addresses_only = true, .accesses = {}};
      with_kernel(way.steps.front(), [&](auto const& plan) {
        host::run(plan, reinterpret_cast<void const*>(kSource), reinterpret_cast<void*>(kDestination), &record);
      });
      if (record.accesses.empty()) continue;
      std::uintptr_t written = 0;
      for (auto const& each : record.accesses) {
        if (each.space != memory_space::global || !each.active) continue;
        auto const begin = each.store ? kDestination : kSource, end = begin + std::uintptr_t(destination_range(p).high);
        EXPECT_TRUE(each.address >= begin && each.address + std::uint64_t(each.bytes) <= end) << describe(way);
        if (each.store) written += std::uintptr_t(each.bytes);
      }
      EXPECT_EQ(written, std::uintptr_t(destination_range(p).high)) << describe(way);
    }
  }
}

}  // namespace
}  // namespace cornerturn
