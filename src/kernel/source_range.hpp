#pragma once

#include "problem/problem.hpp"

namespace cornerturn {

/// Fills in the range of bytes that a job reads, relative to the source's first element.
template <class Job>
void write_source_range(Job& job, problem const& p) {
  auto const size = shared_element_size(p);
  for (auto const& each : p.modes)
    (each.source_stride < 0 ? job.source_low : job.source_high) += (each.extent - 1) * each.source_stride * size;
  job.source_high += size;
}

}  // namespace cornerturn
