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

/// What is to be known of an array in a file that holds its elements in C order and nothing else.
struct raw_array {
  std::vector<std::int64_t> shape;
  std::string type;  ///< of `type_names`, e.g. "f32"
};

struct file_options {
  /// NumPy's meaning: mode i of the result is mode axes[i] of the input; negative counts from the end. None: all reversed.
  std::optional<std::vector<std::int64_t>> axes;
  processor_kind processor = processor_kind::automatic;
  /// Given: both files are raw, and this is what the input holds. None: both are .npy files.
  std::optional<raw_array> raw;
  /// Bytes for the array in memory, at most; 0: half of those available, but no more than 256 MiB on the CPU and 2 GiB on a GPU.
  /// A larger array is moved piece after piece, so that memory bounds what lies side by side in the files. A GPU takes up to
  /// 400 MB of its own besides.
  std::int64_t memory = 0;
  /// Told now and then the share done, more than 0 and up to 1, and the bytes of the whole array.
  std::function<void(double share, std::int64_t bytes)> progress;
};

/// What `transpose_file` did.
struct file_report {
  std::vector<std::int64_t> shape;  ///< of the result
  std::string dtype;                ///< as NumPy writes it, e.g. "<f4"; the type given, where files are raw
  std::int64_t bytes = 0;           ///< of the array's data
  double seconds = 0;               ///< moving the elements in memory, files not counted
  std::string processor;            ///< "cpu" or "gpu"
};

/// Permutes the modes of the array in one .npy file, or raw file, and writes the result, in C order, to another.
///
/// Any rank, any fixed-size dtype (structured ones too), C or Fortran order, any size. The result is written beside `output`, put
/// on the disk and then renamed, so `output` is either the old file or the whole new one; it may be the same file as `input`.
///
/// Throws `error`: a file that is missing, malformed, truncated or holds objects, a raw file of another size, axes that are no
/// permutation, too little memory allowed, a processor that is not there or cannot serve the problem, no room on the disk, a
/// write that fails.
CORNERTURN_API file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output,
                                          file_options const& options = {});

}  // namespace cornerturn
