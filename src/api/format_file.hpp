#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "cornerturn/file.hpp"
#include "engine/file/move_file.hpp"
#include "file/input.hpp"
#include "file/npy.hpp"
#include "file/replace.hpp"
#include "pattern/sides.hpp"
#include "plan/file_limits.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// What brings the array of a file to a format, or back.
struct format_move {
  format_call call;
  std::vector<std::int64_t> shape;         ///< of the input, in elements
  std::vector<std::int64_t> result_shape;  ///< of the result's file, whose last extent counts the bytes of packed elements
  std::int64_t result_bytes;
  rearrange_options options;
  pattern_move move;

  /// True if the move is a problem, which can be cut into pieces. False if axes are padded or cropped, or if elements are packed.
  bool is_strided() const { return call.bits == 8 && !move.is_limited(); }
  /// Expects that `is_strided`.
  problem strided_problem(std::int64_t element_size) const;
};

/// Throws `error` for a format that the array does not fit, and for options that a format excludes.
format_move format_move_of(npy_header const& header, file_options const& options);

/// Moves the array of a file with this header as a whole to byte `to_byte` of another file. The other arguments are as in
/// `move_file`; a memory of 0 means all that is available. Throws `error` if the memory is too small.
moved_file move_whole(format_move const& by, npy_header const& header, input_file const& from, replacement& to,
                      std::int64_t to_byte, std::int64_t memory, file_limits const& limits,
                      std::function<void(std::int64_t)> const& report);

}  // namespace cornerturn
