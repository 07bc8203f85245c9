#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
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
  std::int64_t apart = 0;  ///< bytes from one matrix of the destination to the next

  packed_matrices matrices(bit_packing const& packed) const {
    auto const source_stride = source_row + source_gap, destination_stride = destination_row + destination_gap,
               per_byte = packed.per_byte();
    return {.outer = {{count, destination_row * per_byte * source_stride, source_row * per_byte * destination_stride + apart}},
            .source_row = source_row,
            .destination_row = destination_row,
            .source_stride = source_stride,
            .destination_stride = destination_stride,
            .packed = packed};
  }
};

/// Tiles of a GPU and parts of tiles, accesses of each width, and several matrices; for each size of elements and both orders.
template <class Check>
void for_each_packed_case(Check const& check) {
  constexpr packed_case kCases[] = {{1, 1},
                                    {64, 128},
                                    {128, 128},
                                    {132, 260},
                                    {192, 144, 64, 16, 16},
                                    {3, 200, 5, 7, 3},
                                    {130, 63, 1, 2, 9, 3},
                                    {12, 20, 4, 4, 4, 5}};
  for (int const bits : {4, 2, 1})
    for (bool const first_is_highest : {false, true})
      for (auto const& each : kCases) check(each, bit_packing{bits, first_is_highest});
}

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

/// Calls transpose(source, destination, matrices) with lists of bytes, in which the matrices begin `given.begin` bytes in.
/// Returns which byte it writes wrong, within the matrices or beside them; empty if there is none.
template <class Transpose>
std::string wrong_byte(packed_case const& given, bit_packing const& packed, Transpose const& transpose) {
  auto const all = given.matrices(packed);
  auto const& outer = all.outer[0];
  auto const source = filled(given.begin + given.count * outer.source_stride);
  auto result = filled(given.begin + given.count * outer.destination_stride + 1), wanted = result;
  transpose(source, result, all);
  transpose_plainly(source.data() + given.begin, wanted.data() + given.begin, all);
  auto const same = std::ranges::mismatch(result, wanted);
  if (same.in1 == result.end()) return {};
  return fmt::format("byte {} of {} matrices of {} x {} bytes from byte {}, gaps of {}, {} and {}, {} bits, {} first",
                     same.in1 - result.begin(), given.count, given.source_row, given.destination_row, given.begin,
                     given.source_gap, given.destination_gap, given.apart, packed.bits,
                     packed.first_is_highest ? "highest" : "lowest");
}

}  // namespace cornerturn::test
