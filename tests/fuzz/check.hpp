#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "fuzz/arena.hpp"
#include "fuzz/counts.hpp"
#include "fuzz/random.hpp"
#include "support/scratch.hpp"

namespace cornerturn::fuzz {

/// A folder whose files are in memory, where the system has one: files in place are synced after each unit.
inline std::filesystem::path folder_in_memory() {
  std::filesystem::path const result("/dev/shm");
  return std::filesystem::is_directory(result) ? result : std::filesystem::temp_directory_path();
}

/// The memory and the folder in which problems are moved.
struct memories {
  static constexpr std::size_t kMost = 8 << 20;  ///< bytes of an array, gaps included
  // an image may have two cache lines and more for each element
  arena source{kMost}, destination{kMost}, image{64 * kMost};
  test::scratch folder{folder_in_memory()};
};

/// Draws a problem or a call of a kind, moves it by every plan that it may have, the kernels of a GPU on the host executor, and
/// compares every byte with the definition. Returns what is wrong, or nothing.
#define KIND(name, check, ...) \
  std::string check(random_source& random, memories& in, std::string_view target, decision_counts& counts);
#include "fuzz/kinds.def"
#undef KIND

}  // namespace cornerturn::fuzz
