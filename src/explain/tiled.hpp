#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "block/recording.hpp"
#include "layout/layout.hpp"

namespace cornerturn {

/// Threads and values over a tile, as in make_tiled_copy.
struct tiled_copy {
  layout_expression threads, values;
  int vector = 1;  ///< elements of one access
  int element_size = 1;

  std::string vector_text() const;  ///< "16 bytes"
};

/// One access of one thread, as coordinates of the tile.
struct tiled_vector {
  int thread;
  int occurrence;
  std::vector<std::int64_t> elements;  ///< linear coordinates of its values; empty: outside the tile
};

/// Every access of the copy repeated over a tile of these extents. Throws `error`, which names the argument (`prefix` stands
/// before "threads" and "values"), where these do not number their elements from 0 on without gaps, have more modes than the
/// tile, or where a vector takes no whole number of a thread's values or lies within the tile nowhere.
std::vector<tiled_vector> vectors_of(tiled_copy const& copy, std::vector<std::int64_t> const& extents, std::string const& prefix);

/// An access pattern, with the elements and bytes that one of its accesses moves. Stores are served otherwise than loads.
struct pattern {
  std::vector<tiled_vector> vectors;
  int vector, element_size;
  bool store;
};

/// What these accesses ask of a memory in which the tile lies by a layout.
recording record_vectors(pattern const& accesses, layout_expression const& layout, memory_space space);

/// The first vector, if any, whose elements do not follow each other in memory; offset(linear coordinate) is an element's place.
template <class Offset>
tiled_vector const* torn_vector(std::vector<tiled_vector> const& vectors, Offset const& offset) {
  auto const torn = [&](tiled_vector const& each) {
    for (std::size_t v = 1; v < each.elements.size(); ++v)
      if (offset(each.elements[v]) != offset(each.elements.front()) + std::int64_t(v)) return true;
    return false;
  };
  auto const found = std::ranges::find_if(vectors, torn);
  return found == vectors.end() ? nullptr : &*found;
}

/// Whether a GPU can do these accesses: no vector is torn, and each begins at a multiple of its size.
template <class Offset>
bool possible(pattern const& accesses, Offset const& offset) {
  auto const aligned = [&](tiled_vector const& each) {
    return each.elements.empty() || offset(each.elements.front()) % accesses.vector == 0;
  };
  return std::ranges::all_of(accesses.vectors, aligned) && !torn_vector(accesses.vectors, offset);
}

}  // namespace cornerturn
