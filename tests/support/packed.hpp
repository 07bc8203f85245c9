#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "problem/packed_matrices.hpp"

namespace cornerturn::test {

using bytes_list = std::vector<std::byte>;

inline bytes_list filled(std::int64_t count) {
  bytes_list result(static_cast<std::size_t>(count));
  std::uint32_t state = 57;
  for (auto& each : result) state = state * 1664525 + 1013904223, each = std::byte(state >> 24);
  return result;
}

/// Matrices whose sides begin some bytes after an address and have gaps, which must stay as they are.
struct packed_case {
  std::int64_t source_row, destination_row;  ///< bytes
  std::int64_t source_gap = 0, destination_gap = 0, begin = 0, count = 1;

  packed_matrices matrices(bit_packing const& packed) const {
    auto const source_stride = source_row + source_gap, destination_stride = destination_row + destination_gap,
               per_byte = packed.per_byte();
    return {.outer = {{count, destination_row * per_byte * source_stride, source_row * per_byte * destination_stride}},
            .source_row = source_row,
            .destination_row = destination_row,
            .source_stride = source_stride,
            .destination_stride = destination_stride,
            .packed = packed};
  }
};

/// Transposes element by element.
inline void transpose_plainly(std::byte const* source, std::byte* destination, packed_matrices const& all) {
  auto const& outer = all.outer[0];
  auto const per_byte = all.packed.per_byte();
  auto const element_of = [&](std::byte const* row, std::int64_t index) {
    return int(row[index / per_byte]) >> all.packed.shift(index % per_byte) & all.packed.mask();
  };
  for (std::int64_t matrix = 0; matrix < outer.extent; ++matrix)
    for (std::int64_t row = 0; row < all.source_row * per_byte; ++row)
      for (std::int64_t at = 0; at < all.destination_row; ++at) {
        int byte = 0;
        for (std::int64_t i = 0; i < per_byte; ++i) {
          auto const* const from = source + matrix * outer.source_stride + (at * per_byte + i) * all.source_stride;
          byte |= element_of(from, row) << all.packed.shift(i);
        }
        destination[matrix * outer.destination_stride + row * all.destination_stride + at] = std::byte(byte);
      }
}

/// Expects that transpose(source, destination, matrices) writes each element, and no other byte. `source` and `destination` are
/// lists of bytes.
template <class Transpose>
void expect_transposed(packed_case const& given, bit_packing const& packed, Transpose const& transpose) {
  auto const all = given.matrices(packed);
  auto const& outer = all.outer[0];
  auto const source = filled(given.begin + given.count * outer.source_stride);
  auto result = filled(given.begin + given.count * outer.destination_stride + 1), wanted = result;
  transpose(source, result, all);
  transpose_plainly(source.data() + given.begin, wanted.data() + given.begin, all);
  auto const same = std::ranges::mismatch(result, wanted);
  EXPECT_EQ(same.in1, result.end()) << "byte " << same.in1 - result.begin() << " of " << given.source_row << " x "
                                    << given.destination_row << " bytes, bits " << packed.bits << packed.first_is_highest;
}

}  // namespace cornerturn::test
