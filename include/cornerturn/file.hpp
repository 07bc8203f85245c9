#pragma once

#include "cornerturn/cxx20.hpp"

#include <bit>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cornerturn/element_operation.hpp"
#include "cornerturn/export.h"
#include "cornerturn/formats.hpp"
#include "cornerturn/transpose.hpp"

namespace cornerturn {

/// The array in a raw file, which holds the elements up to its end.
struct raw_array {
  std::vector<std::int64_t> shape;
  std::string type;         ///< a name from `type_names`, e.g. "f32"
  std::int64_t offset = 0;  ///< bytes before the first element, e.g. a header in another format
  std::endian byte_order = std::endian::native;
  bool is_fortran = false;  ///< the elements are in Fortran order: the first mode is contiguous
};

/// A layout with a name into which the array of a file is brought, or from which it is brought back.
struct file_format {
  std::string name;                               ///< one of `format_names`
  std::vector<format_call::length> lengths = {};  ///< of axes, besides those of the format or instead of them
  bool unpack = false;                            ///< the input has the format, and the result has it no more
  /// With `unpack`: the shape of the result in elements, without padding. Default: with padding.
  std::vector<std::int64_t> shape = {};
};

/// Options of `transpose_file`.
struct file_options {
  /// Mode i of the result is mode axes[i] of the input, as in numpy.transpose; negative axes count from the end. Default: all
  /// modes reversed.
  std::optional<std::vector<std::int64_t>> axes = {};
  /// Modes of the input that run backwards, as in numpy.flip, e.g. {0} for an image from bottom to top; negative ones count from
  /// the end. None in place.
  std::vector<std::int64_t> flip = {};
  /// Instead of `axes`: the result is the input rearranged into a format or out of it. No modes run backwards and no elements
  /// change. What is padded, cropped, packed or swizzled is moved as a whole, and not in pieces. None in place.
  std::optional<file_format> format = {};
  processor_kind processor = processor_kind::automatic;
  /// If set, both files are raw, and this describes the input. Otherwise both are .npy files. The output begins with its first
  /// element; in place, bytes before the array stay.
  std::optional<raw_array> raw = {};
  /// The type of the result's elements. Default: the elements keep their type. Elements change if `dtype` differs from the
  /// input's type, or if `alpha`, `conjugate` or `saturate` is not its default; then the input must hold numbers. A .npy file has
  /// no name for bf16 and the 8-bit floats, so they are written as the types "<V2" and "|V1".
  std::optional<element_type> dtype = {};
  /// The byte order of the result's elements if `dtype` is set. Default: the processor's. Without `dtype` it is the input's.
  std::endian dtype_order = std::endian::native;
  /// The type of the elements of a .npy file whose header has only their size, e.g. bf16 for "<V2", which NumPy writes for the
  /// types of ml_dtypes. "<f1" is f8_e5m2 in any case.
  std::optional<element_type> type = {};
  std::complex<double> alpha = 1;  ///< elements are multiplied by it, as by `element_operation::alpha`
  bool conjugate = false;          ///< complex elements become their conjugates
  bool saturate = false;           ///< as `element_operation::saturate`
  /// The maximum memory for the array in bytes. 0: half of the available memory, at most 256 MiB on the CPU and 2 GiB on a GPU. A
  /// larger array is moved in pieces. A GPU needs up to 400 MB of pinned host memory in addition.
  std::int64_t memory = 0;
  /// Called from time to time with the fraction done of the call's work, in (0, 1], and `file_report::moved_bytes`.
  std::function<void(double share, std::int64_t bytes)> progress = {};
};

/// The result of `transpose_file`.
struct file_report {
  std::vector<std::int64_t> shape;  ///< shape of the result
  std::string dtype;                ///< the dtype as NumPy writes it, e.g. "<f4"; for raw files the given type
  std::int64_t bytes = 0;           ///< bytes of the result's data
  std::int64_t moved_bytes = 0;     ///< bytes that this call moved: fewer than `bytes` if it finished an earlier call's work
  double seconds = 0;               ///< seconds spent moving elements in memory, without reading and writing files
  std::string processor;            ///< "cpu" or "gpu"
};

/// Permutes the modes of the array in a .npy or raw file and writes the result, in C order, to another file. Its elements may
/// change on the way.
///
/// Supports any rank, any size, any fixed-size dtype (structured ones too), and C and Fortran order. `output` is replaced
/// atomically: the result is written to a temporary file, synced and renamed. `output` may be the same file as `input`.
///
/// Throws `error` for
/// - a file that is missing, locked by another process (flock), malformed, truncated or holds Python
///   objects, and a raw file whose size does not match,
/// - axes that are not a permutation, and a mode that is flipped twice or does not exist,
/// - a format that no name is of, that the array does not fit or that excludes other options,
/// - elements that must change but whose type is not an `element_type`,
/// - a `type` that the header contradicts, and an operation that `element_operation` excludes,
/// - too little memory, and a processor that does not exist or does not support the problem,
/// - a full disk, and a failed write.
///
/// ```cpp
/// cornerturn::write_file(input, "abcdef");
/// cornerturn::transpose_file(input, output, {.raw = cornerturn::raw_array{.shape = {2, 3}, .type = "u8"}});
/// ```
CORNERTURN_API file_report transpose_file(std::filesystem::path const& input, std::filesystem::path const& output,
                                          file_options const& options = {});

/// Permutes the modes of the array in a .npy or raw file within the file, without a second one. The result is in C order.
///
/// A journal beside the file, `path` and ".cornerturn-journal", makes this safe against crashes. If the process or the machine
/// stops, a second call with the same arguments finishes the work. Until then a .npy file has a header that no reader accepts.
/// The journal needs disk space for two units, each about a 32nd of the array or 1 MB, and for a few percent of the array if its
/// extents have no large common divisor; for small arrays up to four times the array's size. Nothing else may use the file
/// meanwhile. An exception of `progress` stops the work like a crash does; `memory` limits the units, too.
///
/// Throws `error` as `transpose_file` does, before any byte of the array has changed, and also for
/// - a file that may not be written, is not a regular one, has several hard links or is locked,
/// - a header that has no room for the new shape, and a disk without room for the journal,
/// - a journal of a call with other arguments or of a file with other bytes.
CORNERTURN_API file_report transpose_file_inplace(std::filesystem::path const& path, file_options const& options = {});

/// Writes a text, e.g. a page of explain, to a file. A regular file is replaced as by `transpose_file`, and keeps its
/// permissions. A pipe or a device is written as it is.
///
/// Throws `error` for a file or a folder that may not be written, a full disk, and a failed write.
CORNERTURN_API void write_file(std::filesystem::path const& path, std::string_view text);

}  // namespace cornerturn
