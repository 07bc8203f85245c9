#pragma once

#include <cstdint>

namespace cornerturn::tile {

/// The parameters of a kernel: a job, and the arrays that it works on.
template <class T, class Job>
struct kernel_args {
  T const* source;
  T* destination;
  std::uintptr_t source_begin, source_end;  ///< addresses of the source's first byte and past its last; reads stay between them
  Job job;

  static kernel_args over(T const* source, T* destination, Job const& job) {
    auto const address = reinterpret_cast<std::uintptr_t>(source);
    return {source, destination, address + std::uintptr_t(job.source_low), address + std::uintptr_t(job.source_high), job};
  }
};

}  // namespace cornerturn::tile
