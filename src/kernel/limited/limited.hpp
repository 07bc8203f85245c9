#pragma once

#include "kernel/limited/job.hpp"
#include "tile/decoded_index.hpp"
#include "tile/maps.hpp"
#include "tile/swizzled_addresses.hpp"

namespace cornerturn::tile {

template <class T>
struct limited_args {
  T const* source;
  T* destination;
  T pad;
  limited_job job;
  swizzled_addresses source_at, destination_at;
};

/// Copies elements through registers, like `direct`. An element that is missing in the source is the pad, and one that is missing
/// in the destination is neither loaded nor stored.
template <class T, int Depth>
struct limited {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kDirectThreads, kBlocks = 1, kElements = kThreads * Depth;
  /// The element of a tile for each thread and step.
  using thread_elements = Layout<Shape<Int<kThreads>, Int<Depth>>>;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, limited_args<T> const& args) {
    // Shift into the block: the part of its tile.
    limited_job const& job = args.job;
    int part, tile;
    job.tiles(part, tile, int(block.index()));
    decoded_index<int> const first(job, job.part_digits, part);

    // Offsets and indices: the elements of a thread.
    int left[Depth], from[Depth], to[Depth], indices[Depth][2];
    bool active[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      int const element = tile * kElements + thread_elements{}(block.thread(), n);
      active[n] = element < job.elements;
      left[n] = active[n] ? element : 0;
      from[n] = first.source, to[n] = first.destination;
      indices[n][0] = first.run_index, indices[n][1] = first.vector_index;
    }
    // The loop over digits is outside, so that the divisions of all elements are independent instructions.
    CORNERTURN_NO_UNROLL
    for (int i = job.element_digits.begin; i < job.element_digits.end; ++i) {
      radix_digit const& each = job.digits[std::size_t(i)];
      bool const is_last = i + 1 == job.element_digits.end;
      CUTE_UNROLL
      for (int n = 0; n < Depth; ++n) {
        int value = left[n];
        if (!is_last) each.radix(left[n], value, value);
        from[n] += value * int(each.source);
        to[n] += value * int(each.destination);
        indices[n][0] += value * each.run_index;
        indices[n][1] += value * each.vector_index;
      }
    }

    // Limits.
    bool exists[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      exists[n] = active[n];
      CUTE_UNROLL
      for (int axis = 0; axis < 2; ++axis) {
        auto const& limit = job.limits[std::size_t(axis)];
        bool const is_missing = indices[n][axis] >= limit.end;
        exists[n] = exists[n] && !is_missing;
        active[n] = active[n] && (limit.of_source || !is_missing);
      }
    }

    // Load, store.
    alignas(16) T held[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      block.template global_load<1>(args.source_at(args.source + from[n]), &held[n], exists[n]);
      if (!exists[n]) held[n] = args.pad;
    }
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n)
      block.template global_store<1>(args.destination_at(args.destination + to[n]), &held[n], active[n]);
  }
};

}  // namespace cornerturn::tile
