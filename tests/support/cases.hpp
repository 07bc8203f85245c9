#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tile/job.hpp"

namespace cornerturn::test {

/// One case of the table with which every engine is tested. Gaps and shifts count elements.
struct transpose_case {
  std::int64_t rows, cols, batch = 1;
  std::int64_t source_gap = 0, destination_gap = 0;      ///< between the end of a row and the next one
  std::int64_t source_shift = 0, destination_shift = 0;  ///< of the first element from a 256-byte boundary

  std::string name() const;
  job shape() const;
  std::int64_t source_elements() const;       ///< elements of the array, shift included
  std::int64_t destination_elements() const;  ///< elements of the array, shift included
};

/// The table: {1,2,16,17,83,163,256,257,1024} in pairs, zero extents, pitches, batches, shifted pointers, skinny matrices. If the
/// environment variable CORNERTURN_CASE names a case, only that one.
std::vector<transpose_case> transpose_cases();

}  // namespace cornerturn::test
