#pragma once

#include <numeric>

#include <cute/tensor.hpp>

namespace cornerturn::tile {

/// Rows of `Few` elements side by side in one piece, and as many rows of one element each: a group is a 16-byte unit of every
/// such row. How it is turned in registers, and where its units are in shared memory.
template <class T, int Few>
struct structures {
  static constexpr int V = 16 / int(sizeof(T)), kUnit = 16;

  /// Groups whose units meet the same banks are XORed apart: of the eight lanes that share a wavefront, those whose groups are a
  /// multiple of 128 bytes apart.
  CUTE_HOST_DEVICE static int place_of(int unit) {
    constexpr int kMeet = std::gcd(Few, 8), kPeriod = Few * 8 / kMeet;
    return (unit ^ (unit / kPeriod & (kMeet - 1))) * kUnit;
  }

  /// Unit j of a group in one piece, of its units of the rows.
  CUTE_HOST_DEVICE static void join(T const (&rows)[Few][V], int j, T (&unit)[V]) {
    CUTE_UNROLL
    for (int v = 0; v < V; ++v) unit[v] = rows[(j * V + v) % Few][(j * V + v) / Few];
  }
  /// The unit of row k, of a group in one piece.
  CUTE_HOST_DEVICE static void split(T const (&group)[Few * V], int k, T (&row)[V]) {
    CUTE_UNROLL
    for (int v = 0; v < V; ++v) row[v] = group[v * Few + k];
  }
};

}  // namespace cornerturn::tile
