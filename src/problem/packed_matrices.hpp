#pragma once

#include <cstdint>
#include <vector>

namespace cornerturn {

/// Elements of less than a byte, packed into bytes.
struct bit_packing {
  int bits;               ///< of an element: 4, 2 or 1
  bool first_is_highest;  ///< true if the first element of a byte is in its highest bits, else in its lowest

  std::int64_t per_byte() const { return 8 / bits; }
  /// The bits below the element with an index within its byte.
  int shift(std::int64_t index) const { return bits * int(first_is_highest ? per_byte() - 1 - index : index); }
  int mask() const { return (1 << bits) - 1; }
};

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
  bit_packing packed;

  /// The bytes of the elements of all matrices.
  std::int64_t bytes() const {
    auto result = source_row * destination_row * packed.per_byte();
    for (auto const& each : outer) result *= each.extent;
    return result;
  }
};

}  // namespace cornerturn
