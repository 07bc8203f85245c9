#pragma once

#include <cstddef>
#include <cstdint>

#include "fuzz/random.hpp"
#include "support/placed_quantize.hpp"

namespace cornerturn::fuzz {

/// Bytes from the beginning of a cache line to an array: none, any number, or a multiple of 8.
inline std::size_t random_into_line(random_source& random) {
  return std::size_t(random.one_in(4) ? 0 : random.one_in(2) ? random.between(0, 63) : 8 * random.between(0, 7));
}

/// A place beside either page.
inline test::array_place random_place(random_source& random) {
  auto const into_line = random_into_line(random);
  return {into_line, random.one_in(2) ? test::guarded::beside::first : test::guarded::beside::last};
}

inline bool begins_a_line(void const* address) { return reinterpret_cast<std::uintptr_t>(address) % test::guarded::kLine == 0; }

}  // namespace cornerturn::fuzz
