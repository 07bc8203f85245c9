#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "element/magnitude.hpp"

namespace cornerturn::tile {

/// The largest magnitudes of elements of type T that `lanes` neighbouring threads have, by words.
template <class T, class Block>
CUTE_HOST_DEVICE std::uint32_t largest_of_lanes(Block& block, std::uint32_t most, int lanes) {
  CUTE_UNROLL
  for (int mask = lanes / 2; mask > 0; mask /= 2) {
    std::uint32_t other[1] = {most};
    block.shfl_xor(other, mask);
    most = element::larger_magnitudes<T>(most, other[0]);
  }
  return most;
}

/// `Across` neighbouring threads that each have elements of type T of the same four rows. A quarter of the threads reduces each
/// row, which exchanges half as much as if each thread reduced all rows. For example, if 16 threads share rows, threads 0 to 3
/// reduce row 0, threads 4 to 7 row 1, threads 8 to 11 row 2 and threads 12 to 15 row 3.
template <class T, int Across>
struct row_exchange {
  static constexpr int kRows = 4, kFar = Across / 2, kNear = Across / 4;

  /// The row that a thread reduces.
  CUTE_HOST_DEVICE static int row_of(int thread) { return 2 * is_far(thread) + is_near(thread); }
  /// True for one of the threads that reduce a row.
  CUTE_HOST_DEVICE static bool is_first(int thread) { return thread % kNear == 0; }

  /// Returns the largest magnitudes of the row that this thread reduces. `most` has the largest of its own elements of each row.
  template <class Block>
  CUTE_HOST_DEVICE static std::uint32_t reduce(Block& block, std::uint32_t const (&most)[kRows]) {
    bool const far = is_far(block.thread()), near = is_near(block.thread());
    std::uint32_t two[2], given[2];
    CUTE_UNROLL
    for (int i = 0; i < 2; ++i) {
      two[i] = far ? most[2 + i] : most[i];
      given[i] = far ? most[i] : most[2 + i];
    }
    block.shfl_xor(given, kFar);
    CUTE_UNROLL
    for (int i = 0; i < 2; ++i) two[i] = element::larger_magnitudes<T>(two[i], given[i]);
    std::uint32_t one[1] = {near ? two[0] : two[1]};
    block.shfl_xor(one, kNear);
    return largest_of_lanes<T>(block, element::larger_magnitudes<T>(near ? two[1] : two[0], one[0]), kNear);
  }

  /// Gives each thread the values of all rows. `value` is the value of the row that this thread reduces.
  template <class Block>
  CUTE_HOST_DEVICE static void gather(Block& block, float value, float (&values)[kRows]) {
    bool const far = is_far(block.thread()), near = is_near(block.thread());
    float other[1] = {value};
    block.shfl_xor(other, kNear);
    float const two[2] = {near ? other[0] : value, near ? value : other[0]};
    float others[2] = {two[0], two[1]};
    block.shfl_xor(others, kFar);
    CUTE_UNROLL
    for (int i = 0; i < 2; ++i) {
      values[i] = far ? others[i] : two[i];
      values[2 + i] = far ? two[i] : others[i];
    }
  }

 private:
  CUTE_HOST_DEVICE static bool is_far(int thread) { return thread & kFar; }
  CUTE_HOST_DEVICE static bool is_near(int thread) { return thread & kNear; }
};

}  // namespace cornerturn::tile
