#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cornerturn/export.h"
#include "cornerturn/transpose.hpp"

namespace cornerturn {

struct file_options {
  /// NumPy's meaning: mode i of the result is mode axes[i] of the input; negative counts from the end. None: all reversed.
  std::optional<std::vector<std::int64_t>> axes;
  enum processor processor = processor::automatic;
  /// Told the share done, 0 to 1, now and then.
  std::function<void(double)> progress;
};

/// What `transpose_file` did.
struct file_report {
  std::vector<std::int64_t> shape;  ///< of the result
  std::string dtype;                ///< as NumPy writes it, e.g. "<f4"
  std::int64_t bytes = 0;           ///< of the array's data
  double seconds = 0;               ///< moving the elements in memory, files not counted
  std::string processor;            ///< "cpu" or "gpu"
};

/// Permutes the modes of the array in one .npy file and writes the result, in C order, to another.
///
/// Any rank, any fixed-size dtype (structured ones too), C or Fortran order. The result is written beside `output` and then
/// renamed, so `output` is either the old file or the whole new one; it may be the same file as `input`.
///
/// Throws `error`: a file that is missing, malformed, truncated or holds objects, axes that are no permutation, a processor that
/// is not there or cannot serve the problem, a write that fails.
CORNERTURN_API file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output,
                                          file_options const& options = {});

}  // namespace cornerturn
