#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cornerturn::cpu {

/// Elements of less than a byte, packed into bytes.
struct packing {
  int bits;               ///< of an element: 4, 2 or 1
  bool first_is_highest;  ///< true if the first element of a byte is in its highest bits, else in its lowest

  std::int64_t per_byte() const { return 8 / bits; }
  /// The bits below the element with an index within its byte.
  int shift(std::int64_t index) const { return bits * int(first_is_highest ? per_byte() - 1 - index : index); }
  int mask() const { return (1 << bits) - 1; }
};

/// Groups of `per_byte` rows of bytes. Byte k of all rows of a group is a square of elements, a row in each byte.
struct square_rows {
  struct repeat {
    std::int64_t extent, stride;  ///< stride in bytes
  };
  std::vector<repeat> outer;  ///< index the groups
  std::int64_t row_stride;    ///< bytes from one row of a group to the next
  std::int64_t bytes;         ///< of a row, which are contiguous
  packing packed;
};

/// Transposes each square in place, on at most `threads` threads; 0: no limit besides `set_num_threads`.
void transpose_squares(std::byte* first, square_rows const& rows, int threads);

}  // namespace cornerturn::cpu
