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

/// Draws a problem, moves it by every plan of the CPU that it may have, and compares every byte with the definition. Returns what
/// is wrong, or nothing.
std::string check_copy(random_source& random, memories& in, std::string_view target, decision_counts& counts);
std::string check_change(random_source& random, memories& in, std::string_view target, decision_counts& counts);
std::string check_inplace(random_source& random, memories& in, std::string_view target, decision_counts& counts);

/// Draws a matrix and quantises it.
std::string check_quantize(random_source& random, memories& in, std::string_view target, decision_counts& counts);
/// Draws a copy that is padded or cropped.
std::string check_limited(random_source& random, memories& in, std::string_view target, decision_counts& counts);
/// Draws a call of the C interface, with arrays between pages that must not be touched. The engine plans for this processor.
std::string check_c(random_source& random, memories& in, std::string_view target, decision_counts& counts);
/// Draws an array in a file, and permutes it into another file, in memory of any size, or within the file.
std::string check_files(random_source& random, memories& in, std::string_view target, decision_counts& counts);

/// Draws a problem and runs the kernels of a GPU for it, all candidates, on the host executor.
std::string check_gpu(random_source& random, memories& in, std::string_view target, decision_counts& counts);
std::string check_gpu_change(random_source& random, memories& in, std::string_view target, decision_counts& counts);
std::string check_gpu_inplace(random_source& random, memories& in, std::string_view target, decision_counts& counts);
/// Draws a matrix and quantises it by all candidates of a GPU on the host executor.
std::string check_gpu_quantize(random_source& random, memories& in, std::string_view target, decision_counts& counts);
/// Draws matrices of packed elements and transposes them by the kernel of a GPU on the host executor.
std::string check_gpu_packed(random_source& random, memories& in, std::string_view target, decision_counts& counts);
/// Draws a copy that is padded or cropped, and runs all candidates of a GPU on the host executor.
std::string check_gpu_limited(random_source& random, memories& in, std::string_view target, decision_counts& counts);

}  // namespace cornerturn::fuzz
