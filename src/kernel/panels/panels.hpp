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

/// Transposes the slots of panels in place. The blocks of a cluster load the source rows of a panel into their shared memory,
/// wait for each other, and store the panel's destination rows.
///
/// If all rows and slots consist of 16-byte vectors, threads load vectors along source rows, transpose squares of V x V elements
/// in registers, and store vectors along destination rows. Otherwise the vectors of a row are those of global memory: in shared
/// memory a source row begins at the same place within a vector as in global memory. Elements before the first whole vector and
/// after the last one are loaded and stored one by one. A vector that is stored is gathered element by element. The strides of
/// shared memory are chosen such that neither form has many bank conflicts.
///
/// Panels that are shifted are stored where other panels were. So a cluster that has read its panel sets a flag, and waits for
/// the flags of the clusters whose panels it overwrites. These have lower numbers, so they started earlier.
template <class T, bool IsAligned>
struct panels {
  static constexpr bool kOverlaps = true;
  static constexpr int kThreads = panels_threads_of(int(sizeof(T))), kBlocks = 2;
  static constexpr int V = 16 / int(sizeof(T));

  template <class Block>
  CUTE_HOST_DEVICE static void run(Block& block, panels_args<T> const& args) {
    panels_job const& job = args.job;
    panel_part const part(job, int(block.index()));
    T const* const source = args.data + part.source;
    T* const tile = block.template shared<T, 1>();
    T* const destination = args.data + part.destination;
    if constexpr (IsAligned)
      load(block, job, part, source, tile);
    else
      load_unaligned(block, job, part, source, tile);
    block.cp_async_wait_all();
    block.cluster_sync(job.cluster.divisor);
    if (job.read_before > 0) {
      if (part.rank == 0 && block.thread() == 0) block.set_flag(args.flags + part.number);
      int const most = part.position < job.read_before ? part.position : job.read_before;
      for (int before = 1 + block.thread(); before <= most; before += kThreads)
        block.wait_flag(args.flags + part.number - before);
      block.sync();
    }
    if constexpr (IsAligned)
      store(block, job, part, tile, destination);
    else
      store_unaligned(block, job, part, row_leads(source, job.source_pitch), tile, destination);
  }

 private:
  /// The elements before the first element of each row in its 16-byte vector of global memory.
  struct row_leads {
    int first, pitch;
    CUTE_HOST_DEVICE row_leads(T const* begin, std::int64_t row_pitch)
        : first(int(reinterpret_cast<std::uintptr_t>(begin) / sizeof(T) % V)), pitch(int(row_pitch % V)) {}
    CUTE_HOST_DEVICE int operator()(int row) const { return (first + row * pitch) % V; }
  };

  /// Loads the block's part of source rows that consist of vectors.
  template <class Block>
  CUTE_HOST_DEVICE static void load(Block& block, panels_job const& job, panel_part const& part, T const* source, T* tile) {
    int const width = part.width(job);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.rows * job.source_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int row, unit;
      job.source_units(row, unit, first + block.thread());
      if (row < part.rows && unit * V < width)
        block.cp_async(reinterpret_cast<char const*>(source + row * job.source_pitch + unit * V),
                       reinterpret_cast<char*>(tile + job.shared_offset<V>(row, unit * V)));
    }
  }

  /// Loads other source rows. Each thread first starts its copies of whole vectors, then loads single elements.
  template <class Block>
  CUTE_HOST_DEVICE static void load_unaligned(Block& block, panels_job const& job, panel_part const& part, T const* source,
                                              T* tile) {
    int const width = part.width(job);
    row_leads const source_lead(source, job.source_pitch);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.rows * job.source_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int row, unit;
      job.source_units(row, unit, first + block.thread());
      int const begin = unit * V - source_lead(row);  // the vector's first element in the row
      if (row < part.rows && begin >= 0 && begin + V <= width)
        block.cp_async(reinterpret_cast<char const*>(source + row * job.source_pitch + begin),
                       reinterpret_cast<char*>(tile + job.shared_offset<V>(row, unit * V)));
    }
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.rows * 2 * V; first += kThreads) {
      int const number = first + block.thread(), row = number / (2 * V), place = number % (2 * V), lead = source_lead(row);
      int const column = place < V ? place : width - 1 - (place - V);
      bool const is_end = place < V ? (lead + column) / V == 0 && lead > 0 : column >= (lead + width) / V * V - lead;
      bool const active = row < part.rows && is_end && column >= 0 && column < width;
      T held;
      block.template global_load<1>(source + row * job.source_pitch + column, &held, active);
      block.template shared_store<1>(tile + job.shared_offset<V>(row, lead + column), &held, active);
    }
  }

  /// Stores the block's part of destination rows that consist of vectors.
  template <class Block>
  CUTE_HOST_DEVICE static void store(Block& block, panels_job const& job, panel_part const& part, T const* tile, T* destination) {
    int const width = part.height(job);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.columns / V * job.destination_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int column, unit, slot, in_slot, row, element;
      job.destination_units(column, unit, first + block.thread());
      job.slot_units(slot, in_slot, unit);
      job.run(row, element, in_slot);
      column *= V;
      bool const active = column < part.columns && unit * V < width;
      T const* const from = tile + job.shared_offset<V>(row * V, slot * job.slot_width + column * job.run.divisor + element);
      T held[V][V];
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) block.template shared_load<V>(from + k * job.row_stride, held[k], active);
      T* const to = destination + column * job.destination_pitch + unit * V;
      CUTE_UNROLL
      for (int c = 0; c < V; ++c) {
        alignas(16) T transposed[V];
        CUTE_UNROLL
        for (int r = 0; r < V; ++r) transposed[r] = held[r][c];
        block.template global_store<V>(to + c * job.destination_pitch, transposed, active);
      }
    }
  }

  /// Stores other destination rows. Each thread gathers one vector at a time.
  template <class Block>
  CUTE_HOST_DEVICE static void store_unaligned(Block& block, panels_job const& job, panel_part const& part,
                                               row_leads const& source_lead, T const* tile, T* destination) {
    int const width = part.height(job);
    row_leads const destination_lead(destination, job.destination_pitch);
    CORNERTURN_NO_UNROLL
    for (int first = 0; first < part.columns * job.destination_units.divisor; first += kThreads) {
      [[maybe_unused]] auto const mark = block.iteration(first / kThreads);
      int column, unit, slot, row, element;
      job.destination_units(column, unit, first + block.thread());
      if (column >= part.columns) continue;
      int const begin = unit * V - destination_lead(column);  // the vector's first element in the row
      job.slot_units(slot, row, begin > 0 ? begin : 0);
      job.run(row, element, row);
      alignas(16) T held[V];
      bool active[V];
      CUTE_UNROLL
      for (int k = 0; k < V; ++k) {
        active[k] = begin + k >= 0 && begin + k < width;
        int const in_row = source_lead(row) + slot * job.slot_width + column * job.run.divisor + element;
        block.template shared_load<1>(tile + job.shared_offset<V>(row, in_row), &held[k], active[k]);
        if (begin + k >= 0 && ++element == job.run.divisor) {
          element = 0;
          if (++row == job.rows) row = 0, ++slot;
        }
      }
      T* const to = destination + column * job.destination_pitch + begin;
      if (active[0] && active[V - 1]) {
        block.template global_store<V>(to, held, true);
      } else {
        CUTE_UNROLL
        for (int k = 0; k < V; ++k) block.template global_store<1>(to + k, &held[k], active[k]);
      }
    }
  }
};

}  // namespace cornerturn::tile
