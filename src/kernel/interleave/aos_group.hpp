#pragma once

#include <numeric>

#include <cute/tensor.hpp>

#include "block/sizes.hpp"

namespace cornerturn::tile {

/// A group of an array of structures (AoS) of `Fields` elements, and of the structure of arrays (SoA) whose rows are the fields.
/// The group is a 16-byte unit of every row, and `Fields` consecutive units of the array of structures.
template <class T, int Fields>
struct aos_group {
  static constexpr int V = kUnitBytes / int(sizeof(T));

  /// Bytes of shared memory before a unit of the array of structures. Eight lanes share a wavefront. The unit index of lanes
  /// whose groups are a multiple of 128 bytes apart is XORed, to avoid bank conflicts.
  CUTE_HOST_DEVICE static constexpr int smem_offset(int unit) {
    constexpr int kConflicting = std::gcd(Fields, 8), kPeriod = Fields * 8 / kConflicting;
    return (unit ^ (unit / kPeriod & (kConflicting - 1))) * kUnitBytes;
  }

  /// Interleaves the rows' units into unit j of the group. With three fields of floats, unit 1 has element 1 of rows 1 and 2,
  /// then element 2 of rows 0 and 1.
  CUTE_HOST_DEVICE static void pack_unit(T const (&rows)[Fields][V], int j, T (&unit)[V]) {
    CUTE_UNROLL
    for (int v = 0; v < V; ++v) unit[v] = rows[(j * V + v) % Fields][(j * V + v) / Fields];
  }
  /// Deinterleaves the unit of row k from the group.
  CUTE_HOST_DEVICE static void unpack_row(T const (&group)[Fields * V], int k, T (&row)[V]) {
    CUTE_UNROLL
    for (int v = 0; v < V; ++v) row[v] = group[v * Fields + k];
  }
};

// Groups of four units have 64 bytes. Units 0 and 8 are 128 bytes apart, so unit 8 changes places with unit 9.
static_assert(aos_group<float, 4>::smem_offset(8) == 9 * 16 && aos_group<float, 4>::smem_offset(9) == 8 * 16);
// Groups of three units are a multiple of 128 bytes apart after eight groups only.
static_assert(aos_group<float, 3>::smem_offset(24) == 24 * 16);

}  // namespace cornerturn::tile
