#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "block/recording.hpp"
#include "layout/layout.hpp"
#include "layout/triton.hpp"

namespace cornerturn {

/// The thread and value layouts of a tiled copy, as in CuTe's make_tiled_copy.
struct tiled_copy {
  layout_expression threads, values;
  int vector = 1;  ///< elements per access
  int element_size = 1;

  std::string vector_text() const;  ///< "16 bytes"
};

/// One access of one thread, in coordinates of the tile.
struct tiled_vector {
  int thread;
  int occurrence;
  std::vector<std::int64_t> elements;  ///< linear coordinates of the values; empty if the access is outside the tile
  std::uint64_t source_address = 0;    ///< in global memory: what cp.async past the L1 cache copies; 0 for others
};

/// All accesses of the copy, repeated over a tile of these extents. Throws `error` if a layout does not number its elements from
/// 0 on without gaps, if it has more modes than the tile, if a vector does not divide a thread's values, and if no vector is
/// within the tile. The message names the argument: `prefix` and "threads" or "values".
std::vector<tiled_vector> vectors_of(tiled_copy const& copy, std::vector<std::int64_t> const& extents, std::string const& prefix);

/// An access pattern: `vector` elements per access, `element_size` bytes each. Stores and loads form different groups of lanes.
struct pattern {
  std::vector<tiled_vector> vectors;
  int vector, element_size;
  bool store;
  bool matrix_rows = false;  ///< each vector is a row of ldmatrix
};

/// The accesses of threads to the elements that they hold, in the widest vectors of at most `most` bytes whose elements are
/// contiguous and aligned. offset(linear coordinate) is an element's offset.
pattern vectors_of(held_elements const& held, std::function<std::int64_t(std::int64_t)> const& offset, int element_size, int most,
                   bool store);

/// Records the accesses of a pattern in a memory space. offset(linear coordinate) is an element's offset.
recording record_vectors(pattern const& accesses, std::function<std::int64_t(std::int64_t)> const& offset, memory_space space);

/// The first vector whose elements are not contiguous; null if all are. offset(linear coordinate) is an element's offset.
template <class Offset>
tiled_vector const* scattered_vector(std::vector<tiled_vector> const& vectors, Offset const& offset) {
  auto const is_scattered = [&](tiled_vector const& each) {
    for (std::size_t v = 1; v < each.elements.size(); ++v)
      if (offset(each.elements[v]) != offset(each.elements.front()) + std::int64_t(v)) return true;
    return false;
  };
  auto const found = std::ranges::find_if(vectors, is_scattered);
  return found == vectors.end() ? nullptr : &*found;
}

/// True if a GPU supports these accesses: every vector is contiguous and aligned to its size.
template <class Offset>
bool possible(pattern const& accesses, Offset const& offset) {
  auto const aligned = [&](tiled_vector const& each) {
    return each.elements.empty() || offset(each.elements.front()) % accesses.vector == 0;
  };
  return std::ranges::all_of(accesses.vectors, aligned) && !scattered_vector(accesses.vectors, offset);
}

}  // namespace cornerturn
