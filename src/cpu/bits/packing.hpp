#pragma once

#include <cstdint>

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

}  // namespace cornerturn::cpu
