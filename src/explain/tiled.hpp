#pragma once

#include <string>
#include <vector>

#include "block/recording.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// Threads and values over a tile, as in make_tiled_copy.
struct tiled_copy {
  layout_expression threads, values;
  int vector = 1;  ///< elements of one access
};

/// One access of one thread, as coordinates of the tile.
struct tiled_vector {
  int thread;
  int occurrence;
  std::vector<std::int64_t> elements;  ///< linear coordinates of its values; empty: outside the tile
};

/// Every access of the copy repeated over a tile of these extents. Throws `error`, which names the argument (`prefix` stands
/// before "threads" and "values"), where these do not number their elements from 0 on without gaps, have more modes than the
/// tile, or where a vector takes no whole number of a thread's values.
std::vector<tiled_vector> vectors_of(tiled_copy const& copy, std::vector<std::int64_t> const& extents, std::string const& prefix);

/// What these accesses ask of shared memory where the tile lies in it by a layout.
recording record_vectors(std::vector<tiled_vector> const& vectors, layout_expression const& layout, int vector, int element_size,
                         bool store);

/// The first vector, if any, whose elements do not follow each other in memory.
tiled_vector const* torn_vector(std::vector<tiled_vector> const& vectors, layout_expression const& layout);

}  // namespace cornerturn
