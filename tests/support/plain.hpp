#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

#include "problem/problem.hpp"

namespace cornerturn::test {

/// The definition itself, one element after another.
inline void permute_plainly(problem const& p, std::byte const* source, std::byte* destination) {
  std::vector<std::int64_t> index(p.modes.size(), 0);
  for (mode const& m : p.modes) {
    if (m.extent == 0) return;
  }
  auto const size = shared_element_size(p);
  for (;;) {
    std::int64_t from = p.source_offset, to = p.destination_offset;
    for (std::size_t k = 0; k < index.size(); ++k) {
      from += index[k] * p.modes[k].source_stride;
      to += index[k] * p.modes[k].destination_stride;
    }
    std::memcpy(destination + to * size, source + from * size, std::size_t(size));
    std::size_t k = 0;
    while (k < index.size() && ++index[k] == p.modes[k].extent) index[k++] = 0;
    if (k == index.size()) return;
  }
}

}  // namespace cornerturn::test
