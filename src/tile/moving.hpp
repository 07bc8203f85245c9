#pragma once

#include <cstdint>

namespace cornerturn::tile {

/// What a program is handed: a job and the memory it works on.
template <class T, class Job>
struct moving {
  T const* source;
  T* destination;
  std::uintptr_t low, high;  ///< the addresses that may be read: whole units within them are
  Job job;

  static moving over(T const* source, T* destination, Job const& job) {
    auto const address = reinterpret_cast<std::uintptr_t>(source);
    return {source, destination, address + std::uintptr_t(job.source_low), address + std::uintptr_t(job.source_high), job};
  }
};

}  // namespace cornerturn::tile
