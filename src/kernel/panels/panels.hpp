#pragma once

#include <cute/tensor.hpp>

#include "kernel/panels/job.hpp"
#include "tile/maps.hpp"

namespace cornerturn::tile {

/// The parameters of the kernel `panels`. `flags` has one flag per panel if panels are shifted.
template <class T>
struct panels_args {
  T* data;
  int* flags;
  panels_job job;
};

/// Transposes the slots of panels where they are. The blocks of a cluster load a panel into their shared memory, wait for each
/// other, and store its rows afterwards. Threads load units along the rows before and store units along the rows after. Units of
/// V elements are transposed in registers, V x V elements at a time; the rows of shared memory lie such that neither side has
/// bank conflicts where slots are large enough.
///
/// Panels that are shifted are stored where other panels were. So a cluster that has read its panel sets a flag, and waits for
/// the flags of the clusters whose panels it overwrites. These have lower numbers, so they started earlier.
template <class T, int V>
struct panels {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = panels_threads_of(int(sizeof(T))), kBlocks = 2;
  static constexpr bool kIsAsync = V * sizeof(T) == 16;
  static constexpr int kUnrolled = kIsAsync ? 1 : 8;  ///< units that a thread loads before it stores them, on either side

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, panels_args<T> const& args) {
    panels_job const& job = args.job;
    panel_part const part(job, int(block.index()));
    T* const tile = block.template shared<T, 1>();
    load(block, job, args.data + part.source, tile, part.slots * job.slot_width);
    block.cluster_sync(job.cluster.divisor);
    if (job.read_before > 0) {
      if (part.rank == 0 && block.thread() == 0) block.set_flag(args.flags + part.number);
      int const most = part.position < job.read_before ? part.position : job.read_before;
      for (int before = 1 + block.thread(); before <= most; before += kThreads)
        block.wait_flag(args.flags + part.number - before);
      block.sync();
    }
    store(block, job, tile, args.data + part.destination, part.slots * job.slot_height);
  }

 private:
  /// Loads the rows of the block's slots, of which each has `width` elements.
  template <class Block>
  CUTE_HOST_DEVICE static void load(Block& block, panels_job const& job, T const* source, T* tile, int width) {
    int const units = job.rows * job.row_units.divisor;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < units; first += kUnrolled * kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / (kUnrolled * kThreads));
      T const* from[kUnrolled];
      T* to[kUnrolled];
      bool active[kUnrolled];
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        int row, unit;
        job.row_units(row, unit, first + i * kThreads + block.thread());
        active[i] = row < job.rows && unit * V < width;
        from[i] = source + row * job.source_pitch + unit * V;
        to[i] = tile + job.shared_offset<V>(row, unit * V);
      }
      if constexpr (kIsAsync) {
        if (active[0]) block.cp_async(reinterpret_cast<char const*>(from[0]), reinterpret_cast<char*>(to[0]));
      } else {
        T held[kUnrolled][V];
        CUTE_UNROLL
        for (int i = 0; i < kUnrolled; ++i) block.template global_load<V>(from[i], held[i], active[i]);
        CUTE_UNROLL
        for (int i = 0; i < kUnrolled; ++i) block.template shared_store<V>(to[i], held[i], active[i]);
      }
    }
    if constexpr (kIsAsync) block.cp_async_wait_all();
  }

  /// Stores the rows afterwards, of which each has `width` elements of the block's slots.
  template <class Block>
  CUTE_HOST_DEVICE static void store(Block& block, panels_job const& job, T const* tile, T* destination, int width) {
    int const units = job.columns / V * job.column_units.divisor;
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < units; first += kUnrolled * kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / (kUnrolled * kThreads));
      T held[kUnrolled][V][V];
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        int column, unit, slot, in_slot, row, element;
        job.column_units(column, unit, first + i * kThreads + block.thread());
        job.slot_row_units(slot, in_slot, unit);
        job.run(row, element, in_slot);
        bool const active = column * V < job.columns && unit * V < width;
        T const* const from =
            tile + job.shared_offset<V>(row * V, slot * job.slot_width + column * V * job.run.divisor + element);
        CUTE_UNROLL
        for (int k = 0; k < V; ++k) block.template shared_load<V>(from + k * job.row_stride, held[i][k], active);
      }
      CUTE_UNROLL
      for (int i = 0; i < kUnrolled; ++i) {
        int column, unit;
        job.column_units(column, unit, first + i * kThreads + block.thread());
        bool const active = column * V < job.columns && unit * V < width;
        T* const to = destination + column * V * job.destination_pitch + unit * V;
        CUTE_UNROLL
        for (int c = 0; c < V; ++c) {
          alignas(16) T transposed[V];
          CUTE_UNROLL
          for (int r = 0; r < V; ++r) transposed[r] = held[i][r][c];
          block.template global_store<V>(to + c * job.destination_pitch, transposed, active);
        }
      }
    }
  }
};

}  // namespace cornerturn::tile
