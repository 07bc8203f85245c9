#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "fuzz/arena.hpp"
#include "fuzz/counts.hpp"
#include "fuzz/random.hpp"

namespace cornerturn::fuzz {

/// The memory in which problems are moved.
struct memories {
  static constexpr std::size_t kMost = 8 << 20;  ///< bytes of an array, gaps included
  // an image may have two cache lines and more for each element
  arena source{kMost}, destination{kMost}, image{64 * kMost};
};

/// Draws a problem, moves it by every plan of the CPU that it may have, and compares every byte with the definition. Returns what
/// is wrong, or nothing.
std::string check_copy(random_source& random, memories& in, std::string_view target, decision_counts& counts);
std::string check_change(random_source& random, memories& in, std::string_view target, decision_counts& counts);
std::string check_inplace(random_source& random, memories& in, std::string_view target, decision_counts& counts);

}  // namespace cornerturn::fuzz
