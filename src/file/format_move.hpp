#pragma once

#include <cstdint>
#include <vector>

#include "cornerturn/file.hpp"
#include "cornerturn/formats.hpp"
#include "file/npy.hpp"
#include "pattern/sides.hpp"
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

  /// True if the move is a problem, which can be cut into pieces. False if axes are padded, cropped or swizzled, or if elements
  /// are packed.
  bool is_strided() const { return call.bits == 8 && !move.is_limited() && !move.is_swizzled(); }
  /// Expects that `is_strided`.
  problem strided_problem(std::int64_t element_size) const;
};

/// Throws `error` for a format that the array does not fit, and for options that a format excludes.
format_move format_move_of(npy_header const& header, file_options const& options);

}  // namespace cornerturn
