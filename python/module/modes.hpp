#pragma once

#include <array>
#include <cornerturn/index_list.hpp>
#include <numeric>

#include "view.hpp"

namespace cornerturn::python {

/// The arguments of `strided_copy`; strides count elements. Modes of extent 1 are left out, so that no more than 62 remain of a
/// destination in memory. If a stride is not a multiple of the item size, as for fields of packed structs, an item becomes
/// several smaller elements in one more mode.
struct modes {
  std::int64_t element_size;
  std::size_t rank = 0;
  std::array<std::int64_t, kMaxRank + 1> extents, source, destination;

  /// Expects arrays that are not empty.
  modes(view const& from, view const& to) : element_size(from.item_size) {
    for (std::size_t i = 0; i < std::size_t(from.rank); ++i) {
      if (from.extents[i] == 1) continue;
      extents[rank] = from.extents[i];
      source[rank] = from.stride_bytes[i];
      destination[rank] = to.stride_bytes[i];
      element_size = std::gcd(element_size, std::gcd(source[rank], destination[rank]));
      ++rank;
    }
    for (std::size_t i = 0; i < rank; ++i) source[i] /= element_size, destination[i] /= element_size;
    if (element_size != from.item_size) {
      extents[rank] = from.item_size / element_size;
      source[rank] = destination[rank] = 1;
      ++rank;
    }
  }

  using numbers = std::array<std::int64_t, kMaxRank + 1>;
  index_list list(numbers const& of) const { return {of.data(), rank}; }
};

}  // namespace cornerturn::python
