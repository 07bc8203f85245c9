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

  template <class Plan>
  static kernel_args of(Plan const& plan, void const* source, void* destination) {
    T const* const from = static_cast<T const*>(source) + plan.source_offset;
    auto const address = reinterpret_cast<std::uintptr_t>(from);
    return {from, static_cast<T*>(destination) + plan.destination_offset, address + std::uintptr_t(plan.job.source_low),
            address + std::uintptr_t(plan.job.source_high), plan.job};
  }
};

}  // namespace cornerturn::tile
