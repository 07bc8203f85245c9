#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plan/file_limits.hpp"
#include "problem/problem.hpp"

namespace cornerturn {

/// Calls `each(source, destination, bytes)` for every run of a canonical problem, in the order of the destination. A run is
/// contiguous on both sides; longer ones than `most_bytes` are split, so that progress can be reported. Offsets are in bytes.
template <class Each>
void for_each_run(problem const& p, Each const& each, std::int64_t most_bytes = file_limits().most_run) {
  auto const size = shared_element_size(p);
  bool const contiguous = !p.modes.empty() && p.modes.back().source_stride == 1 && p.modes.back().destination_stride == 1;
  auto const loops = p.modes.size() - contiguous;
  auto const run = contiguous ? p.modes.back().extent * size : size;
  auto const walk = [&](auto const& self, std::size_t i, std::int64_t source, std::int64_t destination) -> void {
    if (i == loops) {
      for (std::int64_t done = 0; done < run; done += most_bytes)
        each(source + done, destination + done, std::min(most_bytes, run - done));
      return;
    }
    mode const& m = p.modes[i];
    for (std::int64_t k = 0; k < m.extent; ++k)
      self(self, i + 1, source + k * m.source_stride * size, destination + k * m.destination_stride * size);
  };
  walk(walk, 0, p.source_offset * size, p.destination_offset * size);
}

}  // namespace cornerturn
