#pragma once

#include <cstdint>

#include <cute/tensor.hpp>

#include "kernel/boxes/job.hpp"
#include "tile/maps.hpp"
#include "tile/unaligned_rows.hpp"

namespace cornerturn::tile {

/// The parameters of the kernel `boxes`.
template <class T>
struct boxes_args {
  T* data;
  boxes_job job;
};

/// Permutes the runs of boxes in place. The blocks of a cluster load all parts of a box into their shared memory, wait for each
/// other, and store each part where its run belongs. Consecutive threads follow a run, in the 16-byte units of global memory. A
/// thread loads several units before it stores them.
///
/// If elements are smaller than a unit, runs need not be aligned to units. A unit is then copied whole, with the bytes beside the
/// part. A part begins at the same place within a sector in shared memory as in global memory. To store a unit, a thread loads
/// its words and shifts them if elements are smaller than a word. Units that a neighbouring box shares are stored last, by
/// elements.
template <class T>
struct boxes {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = kBoxesThreads, kBlocks = 2;
  static constexpr int V = kUnitBytes / int(sizeof(T)), kUnrolled = V == 1 ? 8 : 4;

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, boxes_args<T> const& args) {
    // Shift into the block: its part of a box.
    boxes_job const& job = args.job;
    box_part const part(job, int(block.index()));
    T* const data = args.data + part.offset;
    T* const tile = block.template shared<T, 1>();
    if constexpr (V == 1)
      move_units(block, job, part, data, tile);
    else
      move_parts(block, args, part, data, tile);
  }

 private:
  /// The units that a thread moves at once.
  struct positions {
    int number[kUnrolled];                ///< among all units of the block's parts
    int run[kUnrolled], unit[kUnrolled];  ///< index among the block's runs, and of the unit in the part
    bool active[kUnrolled];
  };

  /// Moves parts whose elements are units.
  template <class Block>
  CUTE_HOST_DEVICE static void move_units(Block& block, boxes_job const& job, box_part const& part, T* data, T* tile) {
    // Load: parts of runs, in the source's order.
    for_units(block, job, part, [&](positions const& at) {
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i)
        if (at.active[i] && at.unit[i] < part.elements)
          block.cp_async(reinterpret_cast<char const*>(data + job.offset_of(part.first + at.run[i]) + at.unit[i]),
                         reinterpret_cast<char*>(tile + at.number[i]));
    });

    // Wait until all blocks of the cluster have loaded their parts.
    block.cp_async_wait_all();
    block.cluster_sync(job.cluster.divisor);

    // Store: each part where its run belongs.
    for_units(block, job, part, [&](positions const& at) {
      T held[kUnrolled];
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i)
        block.template shared_load<1>(tile + at.number[i], &held[i], at.active[i] && at.unit[i] < part.elements);
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i)
        block.template global_store<1>(data + job.offset_of(job.destination_of(part.first + at.run[i])) + at.unit[i], &held[i],
                                       at.active[i] && at.unit[i] < part.elements);
    });
  }

  /// Moves parts that may begin within a unit.
  template <class Block>
  CUTE_HOST_DEVICE static void move_parts(Block& block, boxes_args<T> const& args, box_part const& part, T* data, T* tile) {
    // Load: the units that hold parts of runs, in the source's order.
    boxes_job const& job = args.job;
    for_units(block, job, part, [&](positions const& at) {
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        [[maybe_unused]] auto const mark = block.iteration(i);
        T const* const from = data + job.offset_of(part.first + at.run[i]);
        int const begin = at.unit[i] * V - lead(from);
        if (at.active[i] && begin + V > 0 && begin < part.elements)
          load(block, args, from, begin, part.elements, tile + shared_offset(job, at.run[i], from));
      }
    });

    // Wait until all blocks of the cluster have loaded their parts.
    block.cp_async_wait_all();
    block.cluster_sync(job.cluster.divisor);

    // Store: each part where its run belongs.
    for_units(block, job, part, [&](positions const& at) {
      auto const to = [&](int i) { return data + job.offset_of(job.destination_of(part.first + at.run[i])); };
      alignas(16) T held[kUnrolled][V];
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        [[maybe_unused]] auto const mark = block.iteration(i);
        int const begin = at.unit[i] * V - lead(to(i));
        if (at.active[i] && is_whole(begin, part.elements))
          load_unit(block, tile, shared_offset(job, at.run[i], data + job.offset_of(part.first + at.run[i])) + begin, held[i]);
      }
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        [[maybe_unused]] auto const mark = block.iteration(i);
        int const begin = at.unit[i] * V - lead(to(i));
        if (at.active[i] && is_whole(begin, part.elements)) block.template global_store<V>(to(i) + begin, held[i], true);
      }
    });
    store_ends(block, job, part, tile, data);
  }

  /// The elements before an address in its sector.
  CUTE_HOST_DEVICE static int lead(T const* address) {
    return int(reinterpret_cast<std::uintptr_t>(address) / sizeof(T) % (kSectorBytes / sizeof(T)));
  }

  /// The offset in shared memory of the part of a run that begins at `from` in global memory. For example, parts of bytes are
  /// 160 bytes apart, and `from` is 5 bytes after the start of a sector. Run 2 of the block is then at 32 + 2 * 160 + 5 = 357.
  CUTE_HOST_DEVICE static int shared_offset(boxes_job const& job, int run, T const* from) {
    return boxes_shared_lead(int(sizeof(T))) + run * job.shared_pitch + lead(from);
  }

  /// True if the unit that begins with element `at` of a part of `elements` elements lies within the part.
  CUTE_HOST_DEVICE static bool is_whole(int at, int elements) { return at >= 0 && at + V <= elements; }

  /// Calls body(positions) until it has visited every unit of the block's parts.
  template <class Block, class Body>
  CUTE_HOST_DEVICE static void for_units(Block& block, boxes_job const& job, box_part const& part, Body const& body) {
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.runs * job.part_units.divisor; first += kUnrolled * kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / (kUnrolled * kThreads));
      positions at;
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        at.number[i] = first + i * kThreads + block.thread();
        job.part_units(at.run[i], at.unit[i], at.number[i]);
        at.active[i] = at.run[i] < part.runs;
      }
      body(at);
    }
  }

  /// Loads the unit that begins with element `at` of the part at `from` to the same place of the part at `shared`. Units at the
  /// ends of the array are loaded by elements.
  template <class Block>
  CUTE_HOST_DEVICE static void load(Block& block, boxes_args<T> const& args, T const* from, int at, int elements, T* shared) {
    T const* const unit = from + at;
    if (unit >= args.data && unit + V <= args.data + args.job.elements) {
      block.cp_async(reinterpret_cast<char const*>(unit), reinterpret_cast<char*>(shared + at));
    } else {
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) {
        bool const active = at + k >= 0 && at + k < elements;
        T held;
        block.template global_load<1>(unit + k, &held, active);
        block.template shared_store<1>(shared + at + k, &held, active);
      }
    }
  }

  template <class Block>
  CUTE_HOST_DEVICE static void load_unit(Block& block, T const* tile, int offset, T (&unit)[V]) {
    load_unaligned(block, reinterpret_cast<char const*>(tile), offset * int(sizeof(T)), unit);
  }

  /// Stores the elements of each part outside whole units. A thread has the first unit of a part, or the last one.
  template <class Block>
  CUTE_HOST_DEVICE static void store_ends(Block& block, boxes_job const& job, box_part const& part, T const* tile, T* data) {
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < 2 * part.runs; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int const number = first + block.thread(), run = number / 2;
      if (run >= part.runs) continue;
      T const* const from = data + job.offset_of(part.first + run);
      T* const to = data + job.offset_of(job.destination_of(part.first + run));
      int const before = lead(to) % V, at = number % 2 == 0 ? -before : (before + part.elements) / V * V - before;
      if (is_whole(at, part.elements) || at >= part.elements) continue;
      alignas(16) T held[V];
      load_unit(block, tile, shared_offset(job, run, from) + at, held);
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) block.template global_store<1>(to + at + k, &held[k], at + k >= 0 && at + k < part.elements);
    }
  }
};

}  // namespace cornerturn::tile
