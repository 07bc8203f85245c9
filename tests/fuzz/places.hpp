#pragma once

#include <cstddef>

#include "fuzz/random.hpp"
#include "support/placed_quantize.hpp"

namespace cornerturn::fuzz {

/// A place beside either page, at the beginning of a cache line, at a multiple of 8 bytes, or anywhere.
inline test::array_place random_place(random_source& random) {
  auto const into_line = random.one_in(4) ? 0 : random.one_in(2) ? random.between(0, 63) : 8 * random.between(0, 7);
  return {std::size_t(into_line), random.one_in(2) ? test::guarded::beside::first : test::guarded::beside::last};
}

}  // namespace cornerturn::fuzz
