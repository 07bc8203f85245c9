#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/bits/packing.hpp"

namespace cornerturn::cpu {

/// Matrices of packed elements, to be transposed. Rows of both sides consist of whole bytes. Sizes and strides are in bytes.
struct packed_matrices {
  struct repeat {
    std::int64_t extent, source_stride, destination_stride;
  };
  std::vector<repeat> outer;        ///< index the matrices
  std::int64_t source_row;          ///< of a row of the source
  std::int64_t destination_row;     ///< of a row of the destination
  std::int64_t source_stride;       ///< from one row of the source to the next
  std::int64_t destination_stride;  ///< from one row of the destination to the next
  packing packed;
};

/// Transposes each matrix, on at most `threads` threads; 0: no limit besides `set_num_threads`.
void transpose_packed(std::byte const* source, std::byte* destination, packed_matrices const& all, int threads);

}  // namespace cornerturn::cpu
