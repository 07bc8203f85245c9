#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "engine/host/host.hpp"
#include "plan/choose.hpp"
#include "problem/canonical.hpp"
#include "problem/print.hpp"
#include "problem/validate.hpp"
#include "support/plain.hpp"

namespace cornerturn::test {

/// Checks on the host executor that each of ways(canonical, alignment) writes what the definition says and nothing else, with
/// both arrays some bytes off a vector.
template <class Ways>
void check_ways(problem const& p, std::size_t source_shift, std::size_t destination_shift, Ways const& ways) {
  constexpr std::size_t kGuard = 64;
  byte_range const read = source_range(p), written = destination_range(p);
  ASSERT_TRUE(read.low >= 0 && written.low >= 0) << to_string(p);

  std::vector<std::byte> source(std::size_t(read.high) + source_shift);
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<std::byte>((i + i / 251 * 7) % 251);
  std::vector<std::byte> expected(std::size_t(written.high) + destination_shift + kGuard, std::byte{0xEE});
  auto const untouched = expected;
  permute_plainly(p, source.data() + source_shift, expected.data() + destination_shift);

  auto result = untouched;
  auto const* const from = source.data() + source_shift;
  auto* const to = result.data() + destination_shift;
  for (auto const& way : ways(canonical(p), alignment_of(from, to))) {
    std::ranges::copy(untouched, result.begin());
    host::run(way.steps, {from, to});
    auto const wrong = std::ranges::mismatch(expected, result).in1 - expected.begin();
    ASSERT_TRUE(result == expected) << to_string(p) << "\n"
                                    << describe(way) << "\nfirst wrong byte "
                                    << wrong - static_cast<std::ptrdiff_t>(destination_shift);
  }
}

}  // namespace cornerturn::test
