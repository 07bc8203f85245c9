#include "cpu/bits/squares.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/bits/parts.hpp"

namespace cornerturn::cpu {
namespace {

/// The elements of each byte of which bit `distance` of the index is 0.
constexpr std::uint64_t mask_of(int bits, int distance) {
  std::uint64_t mask = 0;
  for (int bit = 0; bit < 64; ++bit) mask |= std::uint64_t(!((bit % 8 / bits) & distance)) << bit;
  return mask;
}

template <int Bits>
using words = std::array<std::uint64_t, 8 / Bits>;

/// Transposes squares of elements of `Bits` bits, one in each byte of the words: element e of rows[r] changes places with element
/// r of rows[e]. Each step exchanges the blocks of `Distance` x `Distance` elements beside the diagonal of blocks twice as large.
template <int Bits, int Distance = 4 / Bits>
void transpose(words<Bits>& rows) {
  constexpr auto kMask = mask_of(Bits, Distance);
  constexpr int kShift = Distance * Bits;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (row & Distance) continue;
    auto &low = rows[row], &high = rows[row + Distance];
    auto const change = ((low >> kShift) ^ high) & kMask;
    high ^= change;
    low ^= change << kShift;
  }
  if constexpr (Distance > 1) transpose<Bits, Distance / 2>(rows);
}

template <int Bits>
void transpose_group(std::byte* first, std::int64_t row_stride, std::int64_t bytes) {
  auto const transpose_at = [=](std::byte* address, std::size_t size) {
    words<Bits> rows{};
    for (std::size_t row = 0; row < rows.size(); ++row) std::memcpy(&rows[row], address + std::int64_t(row) * row_stride, size);
    transpose<Bits>(rows);
    for (std::size_t row = 0; row < rows.size(); ++row) std::memcpy(address + std::int64_t(row) * row_stride, &rows[row], size);
  };
  std::int64_t at = 0;
  for (; at + 8 <= bytes; at += 8) transpose_at(first + at, 8);
  if (at < bytes) transpose_at(first + at, std::size_t(bytes - at));
}

}  // namespace

void transpose_squares(std::byte* first, square_rows const& rows, int threads) {
  auto const per_byte = rows.packed.per_byte();
  std::int64_t count = 1;
  for (auto const& m : rows.outer) count *= m.extent;
  // The network transposes rows whose first element is the lowest; with the highest first, it does so for the rows in reverse.
  bool const is_reversed = rows.packed.first_is_highest;
  auto const begin = is_reversed ? first + (per_byte - 1) * rows.row_stride : first;
  auto const stride = is_reversed ? -rows.row_stride : rows.row_stride;
  auto const transpose_rows = rows.packed.bits == 4   ? transpose_group<4>
                              : rows.packed.bits == 2 ? transpose_group<2>
                                                      : transpose_group<1>;
  in_parts(count, rows.bytes * per_byte, threads, [&](std::int64_t from, std::int64_t to) {
    for (auto group = from; group < to; ++group) {
      auto index = group;
      std::int64_t offset = 0;
      for (auto m = rows.outer.rbegin(); m != rows.outer.rend(); ++m) {
        offset += index % m->extent * m->stride;
        index /= m->extent;
      }
      transpose_rows(begin + offset, stride, rows.bytes);
    }
  });
}

}  // namespace cornerturn::cpu
