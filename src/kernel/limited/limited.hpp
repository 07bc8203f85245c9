#pragma once

#include "kernel/direct/direct.hpp"
#include "kernel/limited/job.hpp"
#include "tile/decoded_index.hpp"
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
  static constexpr bool kOverlaps = true, kRunsBeside = true;
  static constexpr int kThreads = kDirectThreads, kBlocks = 1;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, limited_args<T> const& args) {
    // Shift into the block: the part of its tile.
    limited_job const& job = args.job;
    int part, tile;
    job.tiles(part, tile, int(block.index()));
    place first;
    visit_digits(job, job.part_digits, part, [&](int i, int value) { first.add(job, i, value); });

    // Offsets and indices: the elements of a thread.
    thread_elements<Depth> elements(job.elements, tile, block.thread());
    place places[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) places[n] = first;
    visit_digits(job, job.element_digits, elements.index, [&](int n, int i, int value) { places[n].add(job, i, value); });

    // Limits.
    bool exists[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      bool& active = elements.active[n];
      exists[n] = active;
      CUTE_UNROLL
      for (int axis = 0; axis < 2; ++axis) {
        auto const& limit = job.axes.limits[std::size_t(axis)];
        bool const is_missing = places[n].indices[axis] >= limit.end;
        exists[n] = exists[n] && !is_missing;
        active = active && (limit.of_source || !is_missing);
      }
    }

    // Load, store.
    alignas(16) T held[Depth];
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n) {
      block.template global_load<1>(args.source_at(args.source + places[n].from), &held[n], exists[n]);
      if (!exists[n]) held[n] = args.pad;
    }
    CUTE_UNROLL
    for (int n = 0; n < Depth; ++n)
      block.template global_store<1>(args.destination_at(args.destination + places[n].to), &held[n], elements.active[n]);
  }

 private:
  /// The offsets of an element, and its indices along the limited axes.
  struct place {
    int from = 0, to = 0, indices[2] = {};

    CUTE_HOST_DEVICE void add(limited_job const& job, int digit, int value) {
      radix_digit const& each = job.digits[std::size_t(digit)];
      from += value * int(each.source);
      to += value * int(each.destination);
      CUTE_UNROLL
      for (int axis = 0; axis < 2; ++axis) indices[axis] += value * job.axes.steps[std::size_t(digit)][std::size_t(axis)];
    }
  };
};

}  // namespace cornerturn::tile
