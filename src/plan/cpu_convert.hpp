#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/cpu_plan.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// A loop over rows of a box.
struct row_loop {
  std::int64_t count = 1, from = 0, to = 0;  ///< rows, and the bytes from one to the next where they are read and written
};

/// A box of indices: how its elements come to an image in the destination's order, and the rows that are changed from there. A
/// row's elements are neighbours where they are read.
struct convert_box {
  cpu_plan gather;              ///< from the source to the image; unused if rows are read from the source
  std::int64_t length = 1;      ///< elements of a row
  std::vector<row_loop> loops;  ///< over rows; the last one runs fastest
};

/// How the CPU moves a canonical problem whose elements change. Boxes of it go to an image in the level 2 cache as they are. From
/// there, or from the source if rows stay rows, elements are changed row by row.
struct cpu_convert {
  element_operation operation;
  element_sizes sizes;
  std::vector<tile_loop> loops;    ///< over boxes
  std::vector<convert_box> boxes;  ///< bit k of the index is set for the last box of loop k, which may be smaller
  bool has_image = true;
  bool streams = false;                                    ///< stores are non-temporal, past the caches
  std::int64_t row_step = 1;                               ///< elements of the destination from one element of a row to the next
  std::int64_t source_offset = 0, destination_offset = 0;  ///< bytes
  std::int64_t bytes = 0;                                  ///< bytes of the result
  int threads = 0;                                         ///< as in `cpu_plan`

  std::int64_t tasks() const;
  /// The bytes of the image, and of the memory that the plans of boxes need.
  std::int64_t image_bytes() const;
  std::int64_t gather_bytes() const;
};

/// Plans a canonical problem that has elements and an operation. Throws `error` for a problem that is larger than a processor can
/// address.
cpu_convert plan_cpu_convert(problem const& canonical, cpu_tile_hint const& hint = {});

std::string describe(cpu_convert const& plan);

}  // namespace cornerturn
