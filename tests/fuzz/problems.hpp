#pragma once

#include <cstdint>
#include <vector>

#include "cpu/tiles/plan.hpp"
#include "fuzz/random.hpp"
#include "plan/file_limits.hpp"
#include "problem/problem.hpp"

namespace cornerturn::fuzz {

/// Limits of plans, most of them so small that an array of a few kilobytes takes every path.
cpu_limits random_limits(random_source& random);

/// Limits of files: the usual ones, or small ones.
file_limits random_file_limits(random_source& random);

/// The shapes that are drawn. All but `any` are often moved by strategies without an image.
enum class shape_kind {
  any,     ///< any shape
  matrix,  ///< rows and columns are several cache lines long, and nothing is between or within them
  fields,  ///< rows or columns are few, and nothing is within them
  shared,  ///< many small modes in any order, so that the same ones are among the first of both sides
  units,   ///< as `any`, but the run within is a cache line or longer
};

/// Tiles to try for problems of a kind, with such limits.
cpu_tile_hint random_hint(random_source& random, shape_kind kind);

/// The size of an element in bytes, often a power of two.
std::int64_t random_element_size(random_source& random);

/// A problem of at most about `most` elements: batch, rows, middle, columns and a fused innermost run of 1 to 32 elements in any
/// order of the source, with gaps, modes that run backwards and repeated ones. The extents are about those of vectors, cache
/// lines and tiles. The lowest offset of each side is 0.
problem random_problem(random_source& random, std::int64_t most, std::int64_t element_size, shape_kind kind);

/// The shape and axes of a dense array that is permuted in place: squares, rectangles and skinny ones, with batches and runs, and
/// any axes.
struct dense_permutation {
  std::vector<std::int64_t> shape, axes;
  std::int64_t element_size = 1;
};
dense_permutation random_inplace(random_source& random, std::int64_t most_bytes);

}  // namespace cornerturn::fuzz
