#pragma once

#include "kernel/direct/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

template <class T, class Job = direct_job>
struct direct_args {
  T const* source;
  T* destination;
  Job job;
};

/// The element of a tile for each thread and step.
template <int Depth>
using thread_map = Layout<Shape<Int<kDirectThreads>, Int<Depth>>>;

/// The elements of a thread in a tile.
template <int Depth>
struct thread_elements {
  int index[Depth];    ///< in the part; 0 of an element that the part does not have
  bool active[Depth];  ///< the part has the element

  CUTE_HOST_DEVICE thread_elements(int elements_of_part, int tile, int thread) {
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      int const element = tile * kDirectThreads * Depth + thread_map<Depth>{}(thread, n);
      active[n] = element < elements_of_part;
      index[n] = active[n] ? element : 0;
    }
  }
};

/// Loads the active elements of a thread, then stores them.
template <class Block, class T, class Offset, int Depth>
CUTE_HOST_DEVICE void copy_elements(Block& block, T const* source, T* destination, Offset const (&from)[Depth],
                                    Offset const (&to)[Depth], bool const (&active)[Depth]) {
  alignas(16) T held[Depth];
  CUTE_UNROLL
  for (int n = 0; n < Depth; ++n) block.template global_load<1>(source + from[n], &held[n], active[n]);
  CUTE_UNROLL
  for (int n = 0; n < Depth; ++n) block.template global_store<1>(destination + to[n], &held[n], active[n]);
}

/// Copies elements through registers, without shared memory. Neighbouring threads store neighbouring elements of the destination.
/// A thread loads its `Depth` elements before it stores the first one. `Offset` is a type that holds offsets in elements.
template <class T, class Offset, int Depth>
struct direct {
  using job_type = direct_job;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kDirectThreads, kBlocks = 1;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, direct_args<T> const& args) {
    // Shift into the block: the part of its tile.
    direct_job const& job = args.job;
    int part, tile;
    job.tiles(part, tile, int(block.index()));
    decoded_index<Offset> const first(job, job.part_digits, part);
    T const* const source = args.source + first.source;
    T* const destination = args.destination + first.destination;

    // Offsets: the elements of a thread.
    thread_elements<Depth> elements(job.elements, tile, block.thread());
    Offset from[Depth] = {}, to[Depth] = {};
    visit_digits(job, job.element_digits, elements.index, [&](int n, int i, int value) {
      radix_digit const& each = job.digits[std::size_t(i)];
      from[n] += value * Offset(each.source);
      to[n] += value * Offset(each.destination);
    });

    // Load, store.
    copy_elements(block, source, destination, from, to, elements.active);
  }
};

/// Copies elements through registers, like `direct`, for a job of at most `Digits` digits. It decodes them without a loop.
template <class T, int Digits, int Depth>
struct direct_short {
  using job_type = short_direct_job<Digits>;
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kDirectThreads, kBlocks = 1;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, direct_args<T, job_type> const& args) {
    // Offsets: the elements of a thread.
    job_type const& job = args.job;
    int from[Depth] = {}, to[Depth] = {};
    bool active[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      int const element = int(block.index()) * kThreads * Depth + thread_map<Depth>{}(block.thread(), n);
      active[n] = element < job.elements;
      int left = active[n] ? element : 0;
      CUTE_UNROLL
      for (int i = 0; i < Digits; ++i) {
        auto const& each = job.digits[std::size_t(i)];
        bool const is_last = i + 1 == Digits;
        int const quotient = is_last ? 0 : each.radix.divide_above_one(left), value = left - quotient * each.radix.divisor;
        from[n] += value * each.source;
        to[n] += value * each.destination;
        left = quotient;
      }
    }

    // Load, store.
    copy_elements(block, args.source, args.destination, from, to, active);
  }
};

}  // namespace cornerturn::tile
