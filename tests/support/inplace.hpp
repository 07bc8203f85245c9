#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

#include "problem/permuted.hpp"
#include "problem/print.hpp"
#include "support/guarded.hpp"
#include "support/numbered.hpp"
#include "support/plain.hpp"
#include "support/square_problem.hpp"

namespace cornerturn::test {

/// Moves an array in place: move(pointer, problem).
using inplace_mover = std::function<void(std::byte*, square_problem const&)>;

/// Checks that a mover makes an array what the definition says, `shift` bytes after a 64-byte boundary, and that it changes no
/// byte before or after the array.
inline void check_inplace(square_problem const& given, std::size_t shift, inplace_mover const& move) {
  constexpr std::size_t kGuard = 128, kAlign = 64;
  auto const p = permutation(given.shape, {}, given.axes, given.element_size);
  auto memory = numbered(given.bytes() + std::int64_t(2 * kGuard + kAlign + shift));
  auto expected = memory;
  auto const at = kGuard + shift + (kAlign - reinterpret_cast<std::uintptr_t>(memory.data()) % kAlign) % kAlign;
  permute_plainly(p, memory.data() + at, expected.data() + at);
  move(memory.data() + at, given);
  if (memory == expected) return;
  auto const wrong = std::ranges::mismatch(expected, memory).in1 - expected.begin();
  FAIL() << to_string(p) << ", " << shift << " bytes past a boundary; first wrong byte " << wrong - std::ptrdiff_t(at);
}

/// Checks that a mover makes an array what the definition says. The array begins `into_line` bytes after the beginning of a cache
/// line, between pages that must not be touched.
inline void check_inplace_guarded(square_problem const& given, guarded::beside where, std::size_t into_line,
                                  inplace_mover const& move) {
  auto const p = permutation(given.shape, {}, given.axes, given.element_size);
  guarded const memory(std::size_t(given.bytes()), where, into_line);
  auto const before = numbered(given.bytes());
  auto expected = before;
  permute_plainly(p, before.data(), expected.data());
  std::ranges::copy(before, memory.data());
  move(memory.data(), given);
  auto const wrong = std::ranges::mismatch(expected, memory.bytes()).in1 - expected.begin();
  ASSERT_EQ(wrong, std::ssize(expected)) << "is the first wrong byte of " << to_string(p) << ", " << into_line
                                         << " bytes into a line";
  ASSERT_TRUE(memory.is_whole()) << to_string(p) << ", " << into_line << " bytes into a line";
}

}  // namespace cornerturn::test
