#pragma once

#include <array>
#include <cornerturn/index_list.hpp>
#include <numeric>

#include "view.hpp"

namespace cornerturn::python {

/// The arguments of `strided_copy`; strides count elements. If a stride is not a multiple of the item size, as for fields of
/// packed structs, an item becomes several smaller elements in one more mode.
struct modes {
  std::int64_t element_size;
  std::size_t rank;
  std::array<std::int64_t, kMaxRank + 1> extents, source, destination;

  modes(view const& from, view const& to) : element_size(from.item_size), rank(std::size_t(from.rank)) {
    for (std::size_t i = 0; i < rank; ++i) {
      bool const stepped = from.extents[i] > 1;  // the stride of a mode of extent 1 is arbitrary
      extents[i] = from.extents[i];
      source[i] = stepped ? from.stride_bytes[i] : 0;
      destination[i] = stepped ? to.stride_bytes[i] : 0;
      element_size = std::gcd(element_size, std::gcd(source[i], destination[i]));
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
